import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { known, unknown } from '../../../../src/model/observation.ts'
import { readNftFile } from '../../../../src/subjects/firewall/rules/nft-file.ts'
import { parseNftRuleset } from '../../../../src/subjects/firewall/rules/nft-json.ts'
import { cannotAsk } from '../../../support/surface-oracle.ts'
import { put } from '../../../support/contract.ts'
import { temporaryDirectory } from '../../../support/temporary.ts'

const MAIN = '/etc/nftables.conf'
const SERVICES = 'ssh\t22/tcp\nhttp 80/tcp www # web\n'

const RULES = [
  'iif lo accept',
  'iif "lo" accept',
  'iifname != "lo" ip saddr 127.0.0.0/8 counter drop comment "spoof"',
  'iifname "eth*" counter packets 3 bytes 4 accept',
  'oifname { eth0, eth1 } accept',
  'ct state { established, related } accept',
  'ct state established,related accept',
  'ct state invalid drop',
  'ct state vmap { established : accept, related:accept, invalid : drop }',
  'tcp dport 22 accept',
  'tcp dport { ssh, www, 1024-2048, } ct state new accept',
  'tcp dport $WEB accept',
  'tcp dport { $WEB, 25 } accept',
  'ip saddr $LAN udp dport 53 accept',
  'ip6 saddr { ::1, fe80::/10 } meta l4proto ipv6-icmp accept',
  'ip6 nexthdr icmpv6 icmpv6 type { nd-neighbor-solicit, echo-request } accept',
  'ip protocol icmp icmp type echo-request limit rate 4/second burst 5 packets accept',
  'icmp type echo-request limit rate over 10/minute drop',
  'meta l4proto { icmp, ipv6-icmp } accept',
  'meta l4proto { tcp, udp } th dport 53 accept',
  'meta nfproto ipv6 drop',
  'ip saddr 10.1.1.1-10.1.1.9 tcp sport != 22 jump other',
  'log prefix "drop: " level info flags all',
  'udp dport vmap { 53 : accept, 123 : goto other }',
  'tcp dport 113 reject with tcp reset',
  'reject with icmpx type port-unreachable',
  'reject',
]

const START = 'define LAN = { 10.0.0.0/8, 192.168.0.0/16 }\ndefine WEB = {\n  80,\n  443\n}\n'

/** A file with a policy that drops, and these rules. */
function fileWith(rules: readonly string[]): string {
  const chains = [
    `\tchain input {\n\t\ttype filter hook input priority filter; policy drop;\n${rules.map((rule) => `\t\t${rule}\n`).join('')}\t}\n`,
    '\tchain other { return; }\n',
    '\tchain forward { type filter hook forward priority filter - 5; policy drop; }\n',
    '\tchain output {\n\t\ttype filter hook output priority security\n\t\taccept\n\t}\n',
  ]
  return `#!/usr/sbin/nft -f\n# rules\nflush ruleset\n${START}table inet filter {\n${chains.join('')}}\n`
}

const OTHERS = [
  'table t {\n chain c {\n accept\n }\n}\ntable ip t {\n chain c {\n drop\n }\n}\n',
  'add table inet t\nadd chain inet t c { type filter hook input priority 10; policy accept; }\nadd rule inet t c tcp dport 22 accept\ninsert rule inet t c iifname "lo" accept\nadd chain inet t c { type filter hook input priority 10; policy drop; }\n',
  'table inet t { chain c { accept; }; }\nflush ruleset\ntable inet t { chain d {\n ip saddr \\\n 1.2.3.4 drop\n}\n}\n',
  'define P = {\n # web\n 80, # and more\n # tls\n 443\n}\ntable inet t {\n chain c {\n tcp dport $P accept\n}\n}\n',
  'table ip6 t {\n chain c {\n type filter hook prerouting priority raw;\n ip6 daddr ::/0 drop;\n }\n}\n',
]

/** Files that nft refuses, or that mean more than is read here. */
const UNCLEAR = [
  'table inet t {\nchain c { return }\n}\n',
  'table inet t { chain c { accept; } }\n',
  'table inet t {\nchain c {\ntype filter hook input priority 0 - 5;\n}\n}\n',
  ...[
    'tcp dport 22 acept',
    'iif eth9 accept',
    'accept counter',
    'ip protocol tcp udp dport 53 accept',
    'meta l4proto { tcp, udp } tcp dport 53 accept',
    'ip6 saddr ::1 ip saddr 1.2.3.4 accept',
    'icmp type echo-request ip6 saddr ::1 accept',
    'tcp dport 65536 accept',
    'tcp dport nothing accept',
    'tcp dport $NOTHING accept',
    'jump nowhere',
    'jump c',
    'ip saddr 10.0.0.300 accept',
    'ip saddr @list accept',
    'reject with tcp reset',
    'tcp dport 22 dnat to 10.0.0.1',
    'accept }',
  ].map((rule) => `table inet t {\nchain c {\n${rule}\n}\n}\n`),
  'table inet t {\nset s {\ntype ipv4_addr\n}\n}\n',
  'table inet t {\nflags dormant;\n}\n',
  'table ip t {\nchain c {\nip6 saddr ::1 accept\n}\n}\n',
  'table inet t {\nchain c {\npolicy drop\n}\n}\n',
  'table inet t {\nchain log {\naccept\n}\n}\n',
  'table netdev t {\n}\n',
  'destroy table inet t\n',
  'define A = 1\ndefine A = 2\n',
  'add rule inet t c accept\n',
  'include "/etc/nowhere.nft"\n',
  'include "site.nft"\n',
]

function read(files: Readonly<Record<string, string>>) {
  const all: Readonly<Record<string, string>> = { '/etc/services': SERVICES, ...files }
  return readNftFile(MAIN, {
    readText: (path) => known(all[path] ?? null),
    list: (path) =>
      known(Object.keys(all).flatMap((each) => (each.startsWith(`${path}/`) ? [each.slice(path.length + 1)] : []))),
  })
}

/** What is judged, without the order of a map and the texts of rules. */
function meaningOf(listing: string): unknown {
  const text = JSON.stringify(parseNftRuleset(listing), (key, value: unknown) => {
    if (key === 'text') return undefined
    if (key === 'entries') return (value as readonly unknown[]).map((each) => shown(each)).toSorted()
    return typeof value === 'bigint' ? String(value) : value
  })
  const { tables, chains } = JSON.parse(text) as {
    tables: string[]
    chains: { family: string; table: string; name: string }[]
  }
  return { tables, chains: chains.toSorted((left, right) => (shown(left) < shown(right) ? -1 : 1)) }
}

function shown(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? String(each) : each))
}

/** What nft lists of each file after loading it where no other rules are; null for a file that it refuses. */
function loaded(texts: readonly string[]): readonly (string | null)[] {
  const directory = temporaryDirectory()
  put(directory, Object.fromEntries(texts.map((text, index) => [String(index), text])))
  const script =
    'mount --bind "$0/services" /etc/services; for i in $(seq 0 $1); do nft flush ruleset; nft -f "$0/$i" 2> /dev/null && nft -j list ruleset; printf "\\0"; done'
  put(directory, { services: SERVICES })
  const { stdout } = spawnSync(
    'unshare',
    ['--net', '--mount', 'sh', '-c', script, directory, String(texts.length - 1)],
    {
      encoding: 'utf8',
      maxBuffer: 1024 ** 3,
    },
  )
  return stdout
    .split('\0')
    .slice(0, -1)
    .map((each) => (each.includes('"nftables"') ? each : null))
}

/** Each word of a file left out, and written twice. */
function spoilt(text: string): readonly string[] {
  const words = text.split(/(\s+)/)
  return words.flatMap((word, index) =>
    word.trim() === '' ? [] : [words.toSpliced(index, 1).join(''), words.toSpliced(index, 0, word, ' ').join('')],
  )
}

const needs = cannotAsk(['unshare', 'nft'], 'root')

test.each([fileWith(RULES), ...RULES.map((rule) => fileWith([rule])), ...OTHERS])('%j is read', (text) => {
  expect(read({ [MAIN]: text })).toMatchObject({ kind: 'known' })
})

test.each(UNCLEAR)('%j is not read', (text) => {
  expect(read({ [MAIN]: text })).toMatchObject({ kind: 'unknown' })
})

test.skipIf(needs)(
  'a file that is read has the meaning that nft gives it',
  () => {
    const texts = [fileWith(RULES), ...OTHERS]
    const all = [...texts, ...texts.flatMap(spoilt)]
    const found = loaded(all)
    const ours = all.map((text) => read({ [MAIN]: text }))
    const known = ours.filter(({ kind }) => kind === 'known')
    expect(known.length).toBeGreaterThan(60)
    const wrong = ours.flatMap((reading, index) => {
      if (reading.kind === 'unknown') return []
      const nft = found[index] ?? null
      return nft !== null && shown(meaningOf(reading.value.nft)) === shown(meaningOf(nft)) ? [] : [all[index]]
    })
    expect(wrong).toEqual([])
  },
  120_000,
)

test('included files stand where they are included, in order', () => {
  const include = 'flush ruleset\ninclude "/etc/nftables.d/*.nft"\n'
  const rule = (verdict: string) => `table inet t {\n chain c {\n ${verdict}\n }\n}\n`
  const files = { [MAIN]: include, '/etc/nftables.d/b.nft': rule('drop'), '/etc/nftables.d/a.nft': rule('accept') }
  expect(read(files)).toEqual(read({ [MAIN]: `flush ruleset\n${rule('accept')}${rule('drop')}` }))
  expect(read({ [MAIN]: include })).toMatchObject({ kind: 'known', value: { nft: '{"nftables":[]}' } })
  expect(read({ ...files, '/etc/nftables.d/a.nft': 'include "/etc/nftables.d/*.nft"\n' })).toMatchObject({
    kind: 'unknown',
  })
})

test('what cannot be read is unknown', () => {
  const hidden = unknown('permission-denied', 'hidden')
  expect(readNftFile(MAIN, { readText: () => hidden, list: () => hidden })).toEqual(hidden)
})
