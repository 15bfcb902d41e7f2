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
function sysctlWith(dropIn: string): Host {
  const keys = ['net.ipv4.ip_forward', 'net.ipv4.conf.all.forwarding', 'net.ipv6.conf.all.forwarding']
  const program = 'usr/lib/systemd/systemd-sysctl'
  const unit = { 'usr/lib/systemd/system/systemd-sysctl.service': `[Service]\nExecStart=/${program}\n` }
  const stored = { [program]: 'x', 'etc/sysctl.d/a.conf': keys.map((key) => `${key} = 0\n`).join('') }
  const own = { 'etc/systemd/system/systemd-sysctl.service.d/a.conf': `[Service]\n${dropIn}\n` }
  return { files: { ...DEBIAN, ...stored, ...unit, ...own } }
}

const NFT_UNIT = 'usr/lib/systemd/system/nftables.service'
const NFT_START = '[Service]\nExecStart=/usr/sbin/nft -f /etc/nftables.conf\n[Install]\nWantedBy=multi-user.target\n'

/** A host whose nftables.service is enabled, with rules for input, output and forwarded packets. */
function nftWith(policy: string, rule: string, more: Files = {}): Host {
  const chains = ['input', 'forward', 'output'].map(
    (hook) => `chain ${hook} {\n type filter hook ${hook} priority filter; policy ${policy};\n ${rule}\n}\n`,
  )
  const files = {
    'etc/nftables.conf': 'flush ruleset\ninclude "/etc/nftables.d/*.nft"\n',
    'etc/nftables.d/a.nft': `table inet filter {\n${chains.join('')}}\n`,
    [NFT_UNIT]: NFT_START,
    'etc/machine-id': '0123456789abcdef0123456789abcdef\n',
    'usr/bin/systemctl': 'x',
    [`${WANTS}/.keep`]: '',
  }
  return {
    files: { ...DEBIAN, ...files, ...more },
    links: { [`${WANTS}/nftables.service`]: `/${NFT_UNIT}` },
    set: ['firewall=nftables'],
  }
}

const PERSISTENT = 'netfilter-persistent.service'
const DROPPING = '*filter\n:INPUT DROP [0:0]\n:FORWARD DROP [0:0]\n:OUTPUT DROP [0:0]\nCOMMIT\n'

/** A host whose netfilter-persistent is enabled, with a command in a drop-in. */
function persistentWith(command: string): Host {
  const { files } = nftWith('drop', 'counter')
  const start = '[Service]\nExecStart=/usr/sbin/netfilter-persistent start\n[Install]\nWantedBy=multi-user.target\n'
  const own = {
    [`usr/lib/systemd/system/${PERSISTENT}`]: start,
    [`etc/systemd/system/${PERSISTENT}.d/a.conf`]: `[Service]\n${command}\n`,
    'etc/iptables/rules.v4': DROPPING,
    'etc/iptables/rules.v6': DROPPING,
  }
  const links = { [`${WANTS}/${PERSISTENT}`]: `/usr/lib/systemd/system/${PERSISTENT}` }
  return { files: { ...files, ...own }, links, set: ['firewall=iptables'] }
}

/** A host whose firewalld is enabled and drops spoofed loopback addresses, with an option. */
function firewalldWith(option: string): Host {
  const { files } = nftWith('drop', 'counter')
  const rule = (family: string, source: string): string =>
    `<rule family="${family}"><source address="${source}"/><drop/></rule>`
  const own = {
    'usr/lib/os-release': RHEL['usr/lib/os-release'] ?? '',
    'usr/lib/systemd/system/firewalld.service':
      '[Service]\nEnvironmentFile=-/etc/sysconfig/firewalld\nExecStart=/usr/sbin/firewalld --nofork $FIREWALLD_ARGS\n[Install]\nWantedBy=multi-user.target\n',
    'etc/sysconfig/firewalld': `FIREWALLD_ARGS=${option}\n`,
    'etc/firewalld/zones/trusted.xml': '<zone target="ACCEPT"><interface name="lo"/></zone>\n',
    'etc/firewalld/zones/public.xml': `<zone>${rule('ipv4', '127.0.0.0/8')}${rule('ipv6', '::1')}</zone>\n`,
  }
  const links = { [`${WANTS}/firewalld.service`]: '/usr/lib/systemd/system/firewalld.service' }
  return { files: { ...files, ...own }, links }
}

const NFT_LOOPBACK = 'iif lo accept\n iifname != "lo" ip saddr 127.0.0.0/8 drop\n iifname != "lo" ip6 saddr ::1 drop'

test.skipIf(needsRoot).each<Row>([
  // nft(8)
  ['@cis-debian-12 4.3.8', 'stored rules that drop', nftWith('drop', 'tcp dport 22 accept'), 'compliant'],
  ['@cis-debian-12 4.3.8', 'stored rules that accept', nftWith('accept', 'tcp dport 22 accept'), 'drifted'],
  ['@cis-debian-12 4.3.8', 'stored rules that accept before', nftWith('drop', 'accept'), 'drifted'],
  ['@cis-debian-12 4.3.8', 'stored rules that nft refuses', nftWith('drop', 'tcp dport 22 acept'), 'error'],
  [
    '@cis-debian-12 4.3.8',
    'another file that the unit loads',
    nftWith('drop', 'counter', {
      'etc/systemd/system/nftables.service.d/a.conf':
        '[Service]\nExecStart=\nExecStart=/usr/sbin/nft -f /etc/site.nft\n',
      'etc/site.nft': 'table inet t {\n}\n',
    }),
    'drifted',
  ],
  [
    '@cis-debian-12 4.3.8',
    'a unit that loads no file',
    nftWith('drop', 'counter', {
      'etc/systemd/system/nftables.service.d/a.conf': '[Service]\nExecStart=\nExecStart=/usr/sbin/nft flush ruleset\n',
    }),
    'error',
  ],
  [
    '@cis-debian-12 4.3.8',
    'a unit that starts something else',
    nftWith('drop', 'counter', {
      'etc/systemd/system/nftables.service.d/a.conf': '[Service]\nExecStart=\nExecStart=/bin/true\n',
    }),
    'drifted',
  ],
  ['@cis-debian-12 4.4.2.1', 'the command of the package', persistentWith('Nice=1'), 'compliant'],
  [
    '@cis-debian-12 4.4.2.1',
    'a command that takes the rules away',
    persistentWith('ExecStart=\nExecStart=/usr/sbin/netfilter-persistent flush'),
    'error',
  ],
  ['@cis-rhel-9 4.2.2', 'a firewalld that is told nothing', firewalldWith(''), 'compliant'],
  ['@cis-rhel-9 4.2.2', 'a firewalld of another directory', firewalldWith('--system-config=/srv/fw'), 'error'],
  ['@cis-debian-12 4.3.6', 'a stored loopback', nftWith('drop', NFT_LOOPBACK), 'compliant'],
  [
    '@cis-debian-12 4.3.6',
    'a stored loopback that lies',
    nftWith('drop', 'iif lo accept\n ip saddr 127.0.0.1 accept'),
    'drifted',
  ],
  ['@cis-debian-12 3.3.1', 'a drop-in of systemd-sysctl', sysctlWith('TimeoutSec=30'), 'compliant'],
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
