import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { addressNumber } from '../../../../src/subjects/firewall/rules/addresses.ts'
import { followPackets } from '../../../../src/subjects/firewall/rules/evaluate.ts'
import { interfacesNamed, singleValue, type Packets } from '../../../../src/subjects/firewall/rules/packets.ts'
import { rulesetOf, type RulesetTexts } from '../../../../src/subjects/firewall/rules/whole.ts'
import { needsRoot } from '../../../support/temporary.ts'
import { expectAgreement } from '../../../support/proof.ts'
import { sample } from '../../../support/soak.ts'

const SENDER = fileURLToPath(new URL('../../../support/firewall-packets.py', import.meta.url))

interface Packet {
  readonly family: 4 | 6
  readonly interface: string
  readonly protocol: number
  readonly source: string
  readonly destination: string
  readonly sport: number
  readonly dport: number
}

interface Case {
  readonly kind: 'nft' | 'iptables-legacy' | 'iptables-nft'
  readonly rules: string
  readonly packets: readonly Packet[]
}

const missing = ['nft', 'iptables-legacy', 'iptables-nft', 'ip'].filter(
  (program) => spawnSync('unshare', ['--net', program, '-V']).status !== 0,
)
const needs = needsRoot ?? (missing.length === 0 ? undefined : `needs unshare and ${missing.join(', ')}`)

/** Ports, networks and interfaces of which rules and packets are made, so that they meet often. */
const PORTS = [22, 53, 68, 80, 81, 443, 8080, 40_000]
const FOUR = ['192.0.2.9', '192.0.2.77', '198.51.100.7', '127.0.0.1', '10.1.2.3']
// What claims to come from ::1 the kernel drops before any rule.
const SIX = ['2001:db8::9', '2001:db8:1::7', 'fd00::5']
const port = fc.constantFrom(...PORTS)

const packet = fc
  .record({
    family: fc.constantFrom(4 as const, 6 as const),
    interface: fc.constantFrom('lo', 'red0', 'red0', 'red1'),
    protocol: fc.constantFrom(6, 17),
    four: fc.constantFrom(...FOUR),
    six: fc.constantFrom(...SIX),
    dport: port,
  })
  .map(({ four, six, ...each }): Omit<Packet, 'sport'> => {
    const isOwn = each.interface === 'lo'
    const number = each.interface === 'red1' ? 1 : 0
    if (each.family === 4) {
      const destination = isOwn ? '127.0.0.1' : `192.0.${2 + number}.1`
      return { ...each, source: isOwn ? '127.0.0.1' : four, destination }
    }
    return { ...each, source: isOwn ? '::1' : six, destination: isOwn ? '::1' : `2001:db8:${number}::1` }
  })

const oneOf = (...texts: readonly string[]): fc.Arbitrary<string> => fc.constantFrom(...texts)

const SETS = `
  set ports { type inet_service; flags interval; elements = { 22, 80-90, 8000-9000 }
  }
  set hosts { type ipv4_addr; flags interval; elements = { 192.0.2.0/26, 10.0.0.0/8 }
  }
  set pairs { type ipv4_addr . inet_service; elements = { 192.0.2.9 . 22, 10.1.2.3 . 80 }
  }
  set empty { type inet_service; }
  map verdicts { type inet_service : verdict; elements = { 22 : accept, 53 : drop, 443 : jump first }
  }
`

const condition = fc.oneof(
  port.map((each) => `tcp dport ${each}`),
  port.map((each) => `udp dport != ${each}`),
  fc.tuple(port, port).map(([a, b]) => `th dport ${Math.min(a, b)}-${Math.max(a, b) + 1}`),
  fc.subarray(PORTS, { minLength: 1 }).map((each) => `tcp dport { ${each.join(', ')} }`),
  fc.subarray(PORTS, { minLength: 1 }).map((each) => `udp dport != { ${each.join(', ')} }`),
  oneOf('iif lo', 'iifname "lo"', 'iif != lo', 'iifname "red*"', 'iifname != "red0"', 'iifname { "lo", "red1" }'),
  oneOf(
    'ip saddr 127.0.0.0/8',
    'ip saddr != 127.0.0.0/8',
    'ip saddr 192.0.2.0/24',
    'ip saddr { 10.0.0.0/8, 192.0.2.9 }',
  ),
  oneOf('ip6 saddr ::1', 'ip6 saddr != ::1', 'ip6 saddr 2001:db8::/32', 'ip6 daddr 2001:db8::1'),
  oneOf('ip daddr 192.0.2.1', 'ip saddr 192.0.2.5-192.0.2.99', 'ip saddr & 255.255.0.0 == 192.0.0.0'),
  oneOf(
    'ct state new',
    'ct state established,related',
    'ct state != new',
    'ct state { new, untracked }',
    'ct state invalid',
  ),
  oneOf('meta l4proto tcp', 'meta l4proto { tcp, udp }', 'meta l4proto != udp', 'ip protocol tcp', 'meta nfproto ipv6'),
  oneOf('tcp dport @ports', 'udp dport @ports', 'ip saddr @hosts', 'ip saddr != @hosts', 'tcp dport @empty'),
  oneOf('ip saddr . tcp dport @pairs', 'ip saddr . tcp dport { 192.0.2.9 . 22, 192.0.2.77 . 80-443 }'),
  oneOf(
    'tcp flags syn',
    'tcp flags & (fin | syn | rst | ack) == syn',
    'tcp flags & (fin | syn) != syn',
    'tcp flags ack',
  ),
  oneOf('fib daddr type local', 'fib saddr type local', 'meta pkttype host', 'meta mark 0', 'meta pkttype broadcast'),
  oneOf('meta iifname . tcp dport { "red0" . 22, "lo" . 80 }', 'th sport < 30000', 'ip ttl 1', 'ct direction original'),
)
const verdict = fc.oneof(
  oneOf('accept', 'accept', 'drop', 'drop', 'reject', 'return', 'counter accept', 'log drop', 'continue', 'counter'),
  oneOf('jump first', 'goto first', 'jump second', 'goto second'),
)
const map = oneOf(
  'tcp dport vmap { 22 : accept, 80-443 : drop, 8080 : jump first }',
  'tcp dport vmap @verdicts',
  'ct state vmap { established : accept, invalid : drop, new : jump second }',
  'iifname vmap { "lo" : accept, "red0" : goto first }',
  'ip saddr . tcp dport vmap { 192.0.2.9 . 22 : accept, 10.1.2.3 . 80 : drop }',
)
const rule = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.tuple(fc.array(condition, { maxLength: 2 }), verdict).map(([all, then]) => [...all, then].join(' ')),
  },
  { weight: 1, arbitrary: map },
)
const withoutJumps = rule.map((text) =>
  text.replace(/(?:jump|goto) \w+/g, 'return').replaceAll('@verdicts', '{ 22 : accept }'),
)
const onlyToFirst = rule.map((text) =>
  text.replace(/(jump|goto) second/g, '$1 first').replaceAll('@verdicts', '{ 22 : accept }'),
)
const base = fc.record({
  hook: oneOf('input', 'input', 'input', 'prerouting'),
  priority: fc.integer({ min: -90, max: 90 }),
  policy: oneOf('accept', 'drop'),
  rules: fc.array(rule, { minLength: 1, maxLength: 7 }),
})

const nftRules = fc
  .record({
    family: oneOf('inet', 'inet', 'ip'),
    first: fc.array(withoutJumps, { maxLength: 3 }),
    second: fc.array(onlyToFirst, { maxLength: 3 }),
    bases: fc.array(base, { minLength: 1, maxLength: 2 }),
  })
  .map(({ family, first, second, bases }) => {
    const chain = (name: string, head: string, rules: readonly string[]): string =>
      `  chain ${name} {\n${[head, ...rules].map((line) => `    ${line}\n`).join('')}  }\n`
    const text = [
      chain('first', '', first),
      chain('second', '', second),
      ...bases.map(({ hook, priority, policy, rules }, index) =>
        chain(`base${index}`, `type filter hook ${hook} priority ${priority}; policy ${policy};`, rules),
      ),
    ].join('')
    const known = family === 'ip' ? text.replace(/^.*(?:ip6|nfproto).*\n/gm, '') : text
    return `table ${family} tried {\n${SETS.replace('443 : jump first', '443 : drop')}${known}}\n`
  })

const iptablesCondition = fc.oneof(
  port.map((each) => `-p tcp -m tcp --dport ${each}`),
  port.map((each) => `-p udp -m udp ! --dport ${each}:${each + 100}`),
  oneOf('-i lo', '! -i lo', '-i red+', '! -i red1', '-p tcp', '! -p udp', '-m addrtype --dst-type LOCAL'),
  oneOf('-p tcp -m multiport --dports 22,80:443', '-p udp -m multiport ! --dports 53,8080', '-p tcp -m tcp --syn'),
  oneOf('-m conntrack --ctstate NEW', '-m conntrack --ctstate RELATED,ESTABLISHED', '-m conntrack ! --ctstate INVALID'),
  oneOf(
    '-m comment --comment "with -j DROP in it"',
    '-p tcp -m tcp --tcp-flags FIN,SYN,RST,ACK SYN',
    '-m pkttype --pkt-type unicast',
  ),
)
const fourCondition = oneOf(
  '-s 192.0.2.0/24',
  '! -s 127.0.0.0/8',
  '-s 10.0.0.0/8',
  '-m iprange --src-range 192.0.2.5-192.0.2.80',
)
const sixCondition = oneOf('-s ::1', '! -s ::1/128', '-s 2001:db8::/32')
const iptablesTarget = oneOf(
  '-j ACCEPT',
  '-j ACCEPT',
  '-j DROP',
  '-j REJECT',
  '-j RETURN',
  '-j LOG',
  '-j sub',
  '-g sub',
)

const iptablesRules = fc
  .record({
    policy: oneOf('ACCEPT', 'DROP'),
    sub: fc.array(fc.tuple(iptablesCondition, iptablesTarget), { maxLength: 3 }),
    input: fc.array(
      fc.tuple(fc.option(iptablesCondition), fc.option(fc.tuple(fourCondition, sixCondition)), iptablesTarget),
      {
        minLength: 1,
        maxLength: 7,
      },
    ),
  })
  .map(({ policy, sub, input }) => {
    const rules = input.map(
      ([any, own, target]) => `-A INPUT ${any ?? ''} ${own === null ? '' : `<${own.join('|')}>`} ${target}\n`,
    )
    const inSub = sub.map(([any, target]) => `-A sub ${any} ${target.replace('sub', 'RETURN').replace('-g', '-j')}\n`)
    return `*filter\n:INPUT ${policy}\n:sub -\n${rules.join('')}${inSub.join('')}COMMIT\n`
  })

const kinds = fc.oneof(
  { weight: 6, arbitrary: nftRules.map((rules) => ({ kind: 'nft' as const, rules })) },
  { weight: 1, arbitrary: iptablesRules.map((rules) => ({ kind: 'iptables-legacy' as const, rules })) },
  { weight: 1, arbitrary: iptablesRules.map((rules) => ({ kind: 'iptables-nft' as const, rules })) },
)

function withPorts(
  made: readonly {
    readonly rules: string
    readonly kind: Case['kind']
    readonly packets: readonly Omit<Packet, 'sport'>[]
  }[],
): readonly Case[] {
  let sport = 10_000
  return made.map(({ kind, rules, packets }) => ({
    kind,
    rules,
    packets: packets.map((each) => ({ ...each, sport: (sport += 1) })),
  }))
}

interface Told {
  readonly nft: string
  readonly save: readonly [string, string] | null
  readonly through: readonly number[]
}

function tell(tried: readonly Case[]): readonly Told[] {
  const { status, stdout, stderr } = spawnSync('unshare', ['--net', 'python3', SENDER], {
    input: JSON.stringify(tried),
    encoding: 'utf8',
    maxBuffer: 1024 ** 3,
  })
  if (status !== 0) throw new Error(stderr)
  return JSON.parse(stdout) as readonly Told[]
}

function textsOf({ kind }: Case, { nft, save }: Told): RulesetTexts {
  if (save === null) return { nft }
  const saved = { ip: save[0], ip6: save[1] }
  return kind === 'iptables-legacy' ? { nft, legacy: saved } : { nft, translated: saved }
}

function packetsOf({ family, interface: name, protocol, source, destination, sport, dport }: Packet): Packets {
  const [from, to] = [addressNumber(source)?.value ?? -1n, addressNumber(destination)?.value ?? -1n]
  return {
    family: singleValue(family === 4 ? 2 : 10),
    iif: interfacesNamed(name),
    protocol: singleValue(protocol),
    [family === 4 ? 'saddr' : 'saddr6']: singleValue(from),
    [family === 4 ? 'daddr' : 'daddr6']: singleValue(to),
    sport: singleValue(sport),
    dport: singleValue(dport),
    state: singleValue(0),
    pkttype: singleValue(0),
    dsttype: singleValue(2),
    srctype: singleValue(name === 'lo' || source === '127.0.0.1' ? 2 : 1),
  }
}

describe.skipIf(needs)(`packets that were sent`, () => {
  test('get as far as the rules say', () => {
    const rounds = fc.record({ rules: kinds, packets: fc.array(packet, { minLength: 8, maxLength: 8 }) })
    const made = sample(rounds, { usual: 500, soak: 5_000 }, 15)
    const tried = withPorts(made.map(({ rules, packets }) => ({ ...rules, packets })))
    const told = tell(tried)
    let [accepted, dropped, unclear] = [0, 0, 0]
    const wrong = tried.flatMap((each, index): readonly object[] => {
      const truth = told[index]
      const ruleset = truth && rulesetOf(textsOf(each, truth))
      if (truth === undefined || ruleset === undefined) return [{ rules: each.rules, problem: 'not understood' }]
      return each.packets.flatMap((sent) => {
        const outcome = followPackets(ruleset, ['prerouting', 'input'], packetsOf(sent))
        const isThrough = truth.through.includes(sent.sport)
        const isClear = [...outcome.accepted, ...outcome.dropped].every(({ certainty }) => certainty === 'sure')
        if (!isClear) unclear += 1
        else if (isThrough) accepted += 1
        else dropped += 1
        const said = [outcome.accepted.length > 0, outcome.dropped.length > 0]
        const isRight = isClear ? said[0] === isThrough && said[1] === !isThrough : said[isThrough ? 0 : 1]
        return isRight === true
          ? []
          : [{ rules: each.rules, sent, isThrough, outcome: JSON.stringify(outcome, bigintText) }]
      })
    })
    expectAgreement({ reader: 'packets received', program: 'nft', texts: tried.length }, wrong)
    expect({ accepted: accepted > 1000, dropped: dropped > 1000, unclear: unclear < tried.length }).toEqual({
      accepted: true,
      dropped: true,
      unclear: true,
    })
  })
})

function bigintText(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value
}
