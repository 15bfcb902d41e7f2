import type { Rule } from './rule.ts'

/** What nftables.service loads on the host before anything is wrong: ssh alone is open. */
export const FIREWALL_CONFIGURATION = `#!/usr/sbin/nft -f
flush ruleset
table inet filter {
  chain input {
    type filter hook input priority filter; policy drop;
    iifname != "lo" ip saddr 127.0.0.0/8 drop
    iifname != "lo" ip6 saddr ::1 drop
    iifname "lo" accept
    ct state established,related accept
    meta l4proto { icmp, ipv6-icmp } accept
    tcp dport 22 accept
  }
  chain forward { type filter hook forward priority filter; policy drop; }
  chain output { type filter hook output priority filter; policy accept; }
}
`

/** Changes the file, and loads it. */
const stored = (script: string): string => `sed -i '${script}' /etc/nftables.conf; nft -f /etc/nftables.conf`

const each = (property: string, observed: string, families: readonly string[]): Rule['drift'] =>
  families.map((family) => [property, observed, family])
const BOTH = ['ip', 'ip6']
const alsoStored = (property: string, observed: string): Rule['drift'] => [
  ...each(property, observed, BOTH),
  ...each(
    'stored',
    observed,
    BOTH.map((family) => `${property} ${family}`),
  ),
]

/** Rules of packets, each with what lets too many of them through, or too few; planted one after another. */
export const firewall: readonly Rule[] = [
  {
    type: 'firewall',
    name: 'what comes in is dropped',
    properties: { hook: 'input', default: 'drop', allowed: ['tcp:22'] },
    violation: stored('/hook input/s/drop/accept/'),
    drift: [...alsoStored('default', 'accept'), ['allowed', 'open', 'tcp:8080 at 0.0.0.0']],
  },
  {
    type: 'firewall',
    name: 'what comes in is dropped after the next start',
    properties: { hook: 'input', default: 'drop' },
    violation: `sed -i '/hook input/s/drop/accept/' /etc/nftables.conf`,
    drift: each('stored', 'accept', ['default ip', 'default ip6']),
  },
  {
    type: 'firewall',
    name: 'what comes in is dropped now',
    properties: { hook: 'input', default: 'drop', spoofed_loopback: 'drop' },
    violation: 'nft flush ruleset',
    drift: BOTH.flatMap((family) => [
      ['default', 'accept', family],
      ['spoofed_loopback', 'accept', family],
    ]),
  },
  {
    type: 'firewall',
    name: 'what passes through is dropped',
    properties: { hook: 'forward', default: 'drop' },
    violation: stored('/hook forward/s/drop/accept/'),
    drift: alsoStored('default', 'accept'),
  },
  {
    type: 'firewall',
    name: 'what the machine sends to itself comes in',
    properties: { hook: 'input', loopback: 'accept' },
    violation: stored('s/iifname "lo" accept/iifname "lo" drop/'),
    drift: alsoStored('loopback', 'drop'),
  },
  {
    type: 'firewall',
    name: 'what the machine sends to itself leaves',
    properties: { hook: 'output', loopback: 'accept' },
    violation: stored('s/chain output {/& oifname "lo" drop;/'),
    drift: alsoStored('loopback', 'drop'),
  },
  {
    type: 'firewall',
    name: 'nobody else is this machine',
    properties: { hook: 'input', spoofed_loopback: 'drop' },
    violation: stored('/iifname != "lo"/d'),
    drift: alsoStored('spoofed_loopback', 'accept'),
  },
  {
    type: 'firewall',
    name: 'nobody else is this machine with IPv6',
    properties: { hook: 'input', family: 'ip6', spoofed_loopback: 'drop' },
    violation: stored('/ip6 saddr ::1/d'),
    drift: [
      ['spoofed_loopback', 'accept', 'ip6'],
      ['stored', 'accept', 'spoofed_loopback ip6'],
    ],
  },
  {
    type: 'firewall',
    name: 'rules can be made for what leaves',
    properties: { hook: 'output', base_chain: 'present' },
    violation: stored('/chain output/d'),
    drift: each('base_chain', 'absent', BOTH),
  },
  {
    type: 'firewall',
    name: 'nobody listens who is not allowed',
    properties: { hook: 'input', allowed: ['tcp:22'] },
    violation: stored('/hook input/s/drop/accept/'),
    drift: [['allowed', 'open', 'tcp:8080 at 0.0.0.0']],
  },
]
