import { expect, test } from 'vitest'
import { DEBIAN, type Files, type Host, needsRoot, RHEL, type Row, verdictOf, WANTS } from './host.ts'

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
  ...['/usr/sbin/iptables -F', '/bin/sh -c "iptables -P INPUT ACCEPT"', '/usr/local/sbin/open'].map((command): Row => [
    '@cis-debian-12 4.4.2.1',
    `${command} after the command of the package`,
    persistentWith(`ExecStartPost=${command}`),
    'error',
  ]),
  ...[
    ['/usr/sbin/iptables -F', 'error'],
    ['/usr/local/sbin/nft-report', 'compliant'],
  ].map(([command = '', verdict = '']): Row => {
    const host = persistentWith('Nice=1')
    const site = {
      'etc/systemd/system/site.service': `[Service]\nExecStart=${command}\n`,
      [`${WANTS}/site.service`]: '',
    }
    return [
      '@cis-debian-12 4.4.2.1',
      `another unit that runs ${command}`,
      { ...host, files: { ...host.files, ...site } },
      verdict,
    ]
  }),
  ...[
    ['etc/rc.local', '/sbin/iptables -F', 'error'],
    ['etc/network/interfaces', 'iface eth0 inet dhcp\n up iptables -P INPUT ACCEPT', 'error'],
    ['etc/network/if-up.d/site', '#!/bin/sh\nnft flush ruleset', 'error'],
    ['etc/NetworkManager/dispatcher.d/pre-up.d/site', 'date', 'compliant'],
    ['etc/network/if-up.d/site', '#!/bin/sh\n# iptables\nlogger up', 'compliant'],
  ].map(([path = '', text = '', verdict = '']): Row => {
    const host = persistentWith('Nice=1')
    return [
      '@cis-debian-12 4.4.2.1',
      `${path} with ${text}`,
      { ...host, files: { ...host.files, [path]: text } },
      verdict,
    ]
  }),
  ['@cis-debian-12 4.3.6', 'a stored loopback', nftWith('drop', NFT_LOOPBACK), 'compliant'],
  [
    '@cis-debian-12 4.3.6',
    'a stored loopback that lies',
    nftWith('drop', 'iif lo accept\n ip saddr 127.0.0.1 accept'),
    'drifted',
  ],
])('%s, %s', async (control, _title, host, verdict) => {
  expect(await verdictOf(control, host)).toBe(verdict)
})
