import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../../../support/temporary.ts'
import { DEBIAN, type Files, type Host, needsRoot, RHEL, type Row, verdictOf, WANTS } from './host.ts'

const UNIT_OF_CHRONY = 'usr/lib/systemd/system/chrony.service'

const CHRONY_CHOSEN = ['time_service=chrony']

/** A host with chrony, whose unit starts it with these options. */
function chronyWith(options: string, more: Files = {}): Host {
  const files = {
    ...DEBIAN,
    'usr/sbin/chronyd': 'x',
    'etc/chrony/chrony.conf': 'pool 0.debian.pool.ntp.org\n',
    [UNIT_OF_CHRONY]: `[Service]\nExecStart=/usr/sbin/chronyd ${options}\n`,
    ...more,
  }
  return { files, set: CHRONY_CHOSEN }
}

/** A host with systemd-timesyncd, whose site has two servers, and these lines of it and of the network of systemd-networkd. */
function timesyncdWith(lines: string, network = ''): Host {
  const files = {
    ...DEBIAN,
    'lib/systemd/systemd-timesyncd': 'x',
    'etc/systemd/timesyncd.conf': `[Time]\nFallbackNTP=a.site b.site\n${lines}\n`,
    'etc/systemd/network/a.network': `[Network]\n${network}\n`,
    [`${WANTS}/systemd-networkd.service`]: '',
  }
  return { files, set: ['time_servers=[a.site, b.site]'] }
}

/** A host that rejects router advertisements in sysctl.d, and whose interfaces have these lines. */
function ifupdownWith(lines: string): Host {
  const files = {
    ...DEBIAN,
    'usr/lib/systemd/systemd-sysctl': 'x',
    'etc/sysctl.d/a.conf': 'net.ipv6.conf.all.accept_ra = 0\nnet.ipv6.conf.default.accept_ra = 0\n',
    'sbin/ifup': 'x',
    'etc/network/interfaces': `auto eth0\n${lines}\n`,
    'etc/network/interfaces.d/eth0': 'iface eth0 inet6 auto\n',
    'etc/network/backups.d/eth0.old': 'iface eth0 inet6 auto\n',
  }
  return { files }
}

/** A host with chrony and these sources, of which the site has two. */
function chronySources(lines: string): Host {
  const host = chronyWith('', { 'etc/chrony/chrony.conf': `${lines}\n` })
  return { ...host, set: [...CHRONY_CHOSEN, 'time_servers=[a.site, b.site]'] }
}

/** A host that stores no forwarding, and whose systemd-sysctl.service has a drop-in. */
function sysctlWith(dropIn: string, more: Files = {}): Host {
  const keys = ['net.ipv4.ip_forward', 'net.ipv4.conf.all.forwarding', 'net.ipv6.conf.all.forwarding']
  const program = 'usr/lib/systemd/systemd-sysctl'
  const unit = { 'usr/lib/systemd/system/systemd-sysctl.service': `[Service]\nExecStart=/${program}\n` }
  const stored = { [program]: 'x', 'etc/sysctl.d/a.conf': keys.map((key) => `${key} = 0\n`).join('') }
  const own = { 'etc/systemd/system/systemd-sysctl.service.d/a.conf': `[Service]\n${dropIn}\n` }
  return { files: { ...DEBIAN, ...stored, ...unit, ...own, ...more } }
}

test.skipIf(needsRoot).each<Row>([
  ['@cis-debian-12 3.3.1', 'a drop-in of systemd-sysctl', sysctlWith('TimeoutSec=30'), 'compliant'],
  // An interface takes what the default is when it appears, whatever ip_forward was then.
  ...['@cis-debian-12 3.3.1', '@cis-rhel-9 3.3.1'].map((control): Row => {
    const os = control.includes('rhel') ? { 'usr/lib/os-release': RHEL['usr/lib/os-release'] ?? '' } : {}
    const more = { ...os, 'etc/sysctl.d/b.conf': 'net.ipv4.conf.default.forwarding = 1\n' }
    return [control, 'interfaces that forward when they appear', sysctlWith('', more), 'drifted']
  }),
  ['@cis-debian-12 3.3.1', 'another program for it', sysctlWith('ExecStart=\nExecStart=/bin/true'), 'error'],
  [
    '@cis-debian-12 3.3.1',
    'options of it',
    sysctlWith('ExecStart=\nExecStart=/usr/lib/systemd/systemd-sysctl --prefix=/kernel'),
    'error',
  ],
  // chronyd(8)
  ['@cis-debian-12 2.3.3.2', 'chronyd with the account of its package', chronyWith('-F 1'), 'compliant'],
  ['@cis-debian-12 2.3.3.2', 'chronyd with root as its account', chronyWith('-u root'), 'drifted'],
  // chronyd drops its privileges by the UID of the account, which may have several names.
  ...[
    ['user toor', '0', 'drifted'],
    ['user toor', '990', 'compliant'],
  ].map(([line = '', uid = '', verdict = '']): Row => {
    const passwd = `${DEBIAN['etc/passwd'] ?? ''}toor:x:${uid}:0::/root:/bin/sh\n`
    const host = chronyWith('', { 'etc/chrony/chrony.conf': `${line}\n`, 'etc/passwd': passwd })
    return ['@cis-debian-12 2.3.3.2', `chronyd as an account with UID ${uid}`, host, verdict]
  }),
  ['@cis-debian-12 2.3.3.2', 'chronyd with options in one word', chronyWith('-4u root'), 'drifted'],
  [
    '@cis-debian-12 2.3.3.1',
    'chronyd with another file',
    chronyWith('-f /etc/other.conf', { 'etc/other.conf': 'pool ntp.example\n' }),
    'drifted',
  ],
  [
    '@cis-debian-12 2.3.3.1',
    'chronyd with directives on its command line, so it reads no file',
    {
      ...chronyWith("'pool ntp.example'", { 'etc/chrony/chrony.conf': 'pool a.site\n' }),
      set: [...CHRONY_CHOSEN, 'time_servers=[a.site]'],
    },
    'error',
  ],
  ...['/usr/local/bin/start-chrony', '/bin/sh -c "exec /usr/sbin/chronyd -u root"'].map((command): Row => [
    '@cis-debian-12 2.3.3.2',
    `chronyd that ${command} starts`,
    chronyWith('', { [UNIT_OF_CHRONY]: `[Service]\nExecStart=${command}\n` }),
    'error',
  ]),
  [
    '@cis-debian-12 2.3.3.2',
    'chronyd that the script of Ubuntu starts',
    chronyWith('', {
      [UNIT_OF_CHRONY]: '[Service]\nExecStart=!/usr/lib/systemd/scripts/chronyd-starter.sh -u root\n',
    }),
    'drifted',
  ],
  // chrony.conf(5)
  ['@cis-debian-12 2.3.3.1', 'pools of the site alone', chronySources('pool a.site iburst\npool b.site'), 'compliant'],
  ['@cis-debian-12 2.3.3.1', 'a server more', chronySources('pool a.site\npool b.site\nserver x.example'), 'drifted'],
  ['@cis-debian-12 2.3.3.1', 'a pool more', chronySources('server a.site\nserver b.site\npool ba.site'), 'drifted'],
  [
    '@cis-debian-12 2.3.3.1',
    'a name with another dot',
    chronySources('pool a.site\npool b.site\npool axsite'),
    'drifted',
  ],
  ['@cis-debian-12 2.3.3.1', 'a peer more', chronySources('pool a.site\npool b.site\npeer x.example'), 'drifted'],
  [
    '@cis-debian-12 2.3.3.1',
    'a server that is only monitored',
    chronySources('pool a.site\npool b.site\nserver x.example iburst noselect'),
    'compliant',
  ],
  [
    '@cis-debian-12 2.3.3.1',
    'servers without selection',
    chronySources('pool a.site\npool b.site noselect'),
    'drifted',
  ],
  [
    '@cis-rhel-9 2.3.2',
    'a source without selection',
    { files: { ...RHEL, 'etc/chrony.conf': 'server a.site noselect\n', 'usr/sbin/chronyd': 'x' } },
    'drifted',
  ],
  [
    '@cis-debian-12 2.3.3.1',
    'a server that sets the clock at the start',
    chronySources('pool a.site\npool b.site\ninitstepslew 10 x.example'),
    'drifted',
  ],
  [
    '@cis-debian-12 2.3.3.1',
    'servers of the site that set the clock at the start',
    chronySources('pool a.site\npool b.site\ninitstepslew 10 a.site b.site'),
    'compliant',
  ],
  // timesyncd.conf(5), NTP=
  ['@cis-debian-12 2.3.2.1', 'servers in another order', timesyncdWith('NTP=b.site a.site'), 'compliant'],
  ['@cis-debian-12 2.3.2.1', 'a server more', timesyncdWith('NTP=a.site b.site x.example'), 'drifted'],
  [
    '@cis-debian-12 2.3.2.1',
    'a server of an interface',
    timesyncdWith('NTP=a.site b.site', 'NTP=x.example'),
    'drifted',
  ],
  [
    '@cis-debian-12 2.3.2.1',
    'interfaces with servers of the site',
    timesyncdWith('NTP=a.site b.site', 'NTP=x.example\nNTP=\nNTP=a.site'),
    'compliant',
  ],
  // systemd.network(5), UseNTP=
  ['@cis-debian-12 2.3.2.1', 'servers of DHCP, not known', timesyncdWith('NTP=a.site b.site', 'DHCP=yes'), 'error'],
  [
    '@cis-debian-12 2.3.2.1',
    'servers of DHCP that are not taken',
    timesyncdWith('NTP=a.site b.site', 'DHCP=ipv4\n[DHCPv4]\nUseNTP=no'),
    'compliant',
  ],
  [
    '@cis-debian-12 2.3.3.1',
    'servers of the site alone',
    {
      files: { ...DEBIAN, 'usr/sbin/chronyd': 'x', 'etc/chrony/chrony.conf': 'server ntp1.site iburst\n' },
      set: ['time_service=chrony', 'time_servers=[ntp1.site]'],
    },
    'compliant',
  ],
  // interfaces(5), accept_ra
  ...(
    [
      ['iface eth0 inet6 auto', 'drifted'],
      ['iface eth0 inet6 dhcp', 'drifted'],
      ['iface eth0 inet6 auto\n  accept_ra 0', 'compliant'],
      ['iface eth0 inet6 static\n  address 2001:db8::1/64', 'compliant'],
      ['iface eth0 inet6 static\n  accept_ra 1', 'drifted'],
      ['iface eth0 inet dhcp', 'compliant'],
      ['source interfaces.d/*', 'drifted'],
      ['source /etc/network/interfaces.d/*', 'drifted'],
      ['source-directory /etc/network/interfaces.d', 'drifted'],
      ['source-directory /etc/network/backups.d', 'compliant'],
    ] as const
  ).map(([lines, verdict]): Row => ['@cis-debian-12 3.3.11', `ifupdown with ${lines}`, ifupdownWith(lines), verdict]),
])('%s, %s', async (control, _title, host, verdict) => {
  expect(await verdictOf(control, host)).toBe(verdict)
})

test.skipIf(needsRoot)('@cis-debian-12 2.3.2.1: a fix adds time servers and removes none', async () => {
  const root = temporaryDirectory()
  const ofSite = { files: { ...timesyncdWith('NTP=x.example').files, 'run/.keep': '' } }
  expect(await verdictOf('@cis-debian-12 2.3.2.1', ofSite, root, true)).not.toBe('fixed')
  expect(existsSync(join(root, 'etc/systemd/timesyncd.conf.d'))).toBe(false)
  expect(await verdictOf('@cis-debian-12 2.3.2.1', timesyncdWith('NTP=a.site'), root, true)).toBe('fixed')
})
