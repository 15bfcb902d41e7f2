import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { addressNumber } from '../../../../src/subjects/firewall/rules/addresses.ts'
import { type Flow, followPackets } from '../../../../src/subjects/firewall/rules/evaluate.ts'
import { interfacesNamed, singleValue, type Packets } from '../../../../src/subjects/firewall/rules/packets.ts'
import { WAY } from '../../../../src/subjects/firewall/rules/question.ts'
import type { Ruleset } from '../../../../src/subjects/firewall/rules/ruleset.ts'
import { rulesetOf, type RulesetTexts } from '../../../../src/subjects/firewall/rules/whole.ts'
import { needsRoot } from '../../../support/temporary.ts'
import { expectAgreement } from '../../../support/proof.ts'
import { sample } from '../../../support/soak.ts'

// What comes to a machine is in real-packets.test.ts; here what passes through, is sent elsewhere, or leaves.
const SENDER = fileURLToPath(new URL('../../../support/firewall-packets.py', import.meta.url))

interface Packet {
  readonly family: 4 | 6
  /** Empty where the machine sends it. */
  readonly interface: '' | 'red0'
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

const PORTS = [22, 53, 80, 443, 8080]
const port = fc.constantFrom(...PORTS)
const oneOf = (...texts: readonly string[]): fc.Arbitrary<string> => fc.constantFrom(...texts)

/** To the machine itself, or past it; or from it. None of them is what a destination becomes in a rule. */
const ENDS = {
  4: { far: ['198.51.100.7', '198.51.100.200'], own: '192.0.2.1', near: ['192.0.2.9', '10.1.2.3'], outer: '192.0.3.1' },
  6: {
    far: ['2001:db8:f::7', '2001:db8:f:1::1'],
    own: '2001:db8:0::1',
    near: ['2001:db8::9', 'fd00::5'],
    outer: '2001:db8:1::1',
  },
} as const
const packet = fc
  .record({
    family: fc.constantFrom(4 as const, 6 as const),
    from: fc.constantFrom('red0' as const, 'red0' as const, '' as const),
    protocol: fc.constantFrom(6, 17),
    index: fc.constantFrom(0, 1),
    toSelf: fc.boolean(),
    dport: port,
  })
  .map(({ family, from, index, toSelf, ...each }): Omit<Packet, 'sport'> => {
    const ends = ENDS[family]
    const source = from === '' ? ends.outer : (ends.near[index] ?? '')
    const destination = toSelf ? ends.own : (ends.far[index] ?? '')
    return { ...each, family, interface: from, source, destination }
  })

const condition = fc.oneof(
  port.map((each) => `tcp dport ${each}`),
  port.map((each) => `udp dport != ${each}`),
  fc.subarray(PORTS, { minLength: 1 }).map((each) => `th dport { ${each.join(', ')} }`),
  oneOf('ip daddr 198.51.100.0/25', 'ip daddr != 198.51.100.7', 'ip6 daddr 2001:db8:f:1::/64', 'ip daddr 192.0.2.1'),
  oneOf('ip saddr 10.0.0.0/8', 'ip saddr 192.0.3.1', 'ip6 saddr fd00::/8', 'ip6 saddr != 2001:db8:1::1'),
  oneOf('oifname "red1"', 'oifname "red*"', 'oifname != "red1"', 'oifname { "lo", "red0" }', 'oif lo'),
  oneOf('ct state new', 'ct state established,related', 'ct state { new, untracked }'),
  oneOf('meta l4proto tcp', 'meta nfproto ipv6', 'tcp flags & (fin | syn | rst | ack) == syn', 'meta mark 0'),
)
const verdict = oneOf('accept', 'accept', 'drop', 'drop', 'return', 'counter', 'jump sub', 'goto sub')
const lines = fc.array(
  fc.tuple(fc.array(condition, { maxLength: 2 }), verdict).map(([all, then]) => [...all, then].join(' ')),
  { minLength: 1, maxLength: 6 },
)
const redirection = oneOf(
  'tcp dport 80 dnat ip to 198.51.100.50',
  'tcp dport 443 dnat ip to 198.51.100.51:8080',
  'udp dport 53 redirect to :22',
  'tcp dport 8080 redirect',
  'ip daddr 192.0.2.1 udp dport 80 dnat ip to 198.51.100.51',
  'tcp dport 22 dnat ip6 to [2001:db8:f::50]:80',
  'ip daddr 198.51.100.7 tcp dport 80 dnat ip to 192.0.2.1:22',
)
const base = fc.record({
  hook: oneOf('forward', 'forward', 'output', 'output', 'postrouting', 'input'),
  priority: fc.integer({ min: -90, max: 90 }),
  policy: oneOf('accept', 'drop'),
  rules: lines,
})
const nftRules = fc
  .record({
    sub: lines,
    bases: fc.array(base, { minLength: 1, maxLength: 3 }),
    sent: fc.array(redirection, { maxLength: 2 }),
  })
  .map(({ sub, bases, sent }) => {
    const chain = (name: string, head: string, rules: readonly string[]): string =>
      `  chain ${name} {\n${[head, ...rules].map((line) => `    ${line}\n`).join('')}  }\n`
    const text = [
      chain(
        'sub',
        '',
        sub.map((line) => line.replace(/(?:jump|goto) sub/, 'return')),
      ),
      ...bases.map(({ hook, priority, policy, rules }, index) =>
        chain(`base${index}`, `type filter hook ${hook} priority ${priority}; policy ${policy};`, rules),
      ),
      chain('sent', 'type nat hook prerouting priority -100; policy accept;', sent),
    ].join('')
    return `table inet tried {\n${text}}\n`
  })

const iptablesCondition = fc.oneof(
  port.map((each) => `-p tcp -m tcp --dport ${each}`),
  port.map((each) => `-p udp -m udp ! --dport ${each}`),
  oneOf(
    '-o red1',
    '! -o red1',
    '-o red+',
    '-p tcp',
    '-m conntrack --ctstate NEW',
    '-p tcp -m multiport --dports 22,80',
  ),
  oneOf('-d <198.51.100.0/25|2001:db8:f:1::/64>', '! -d <198.51.100.7|2001:db8:f::7>', '-s <10.0.0.0/8|fd00::/8>'),
)
const dnat = oneOf(
  '-A PREROUTING -p tcp -m tcp --dport 80 -j DNAT --to-destination <198.51.100.50|2001:db8:f::50>',
  '-A PREROUTING -p tcp -m tcp --dport 443 -j DNAT --to-destination <198.51.100.51:8080|[2001:db8:f:1::50]:8080>',
  '-A PREROUTING -p udp -m udp --dport 53 -j REDIRECT --to-ports 22',
)
const iptablesRules = fc
  .record({
    policies: fc.tuple(oneOf('ACCEPT', 'DROP'), oneOf('ACCEPT', 'DROP')),
    rules: fc.array(fc.tuple(oneOf('FORWARD', 'OUTPUT'), iptablesCondition, oneOf('ACCEPT', 'DROP', 'RETURN', 'LOG')), {
      minLength: 1,
      maxLength: 7,
    }),
    sent: fc.array(dnat, { maxLength: 2 }),
  })
  .map(({ policies: [forward, output], rules, sent }) => {
    const filter = rules.map(([chain, when, then]) => `-A ${chain} ${when} -j ${then}\n`).join('')
    return `*nat\n:PREROUTING ACCEPT\n${sent.map((line) => `${line}\n`).join('')}COMMIT\n*filter\n:FORWARD ${forward}\n:OUTPUT ${output}\n${filter}COMMIT\n`
  })

const kinds = fc.oneof(
  { weight: 4, arbitrary: nftRules.map((rules) => ({ kind: 'nft' as const, rules })) },
  { weight: 1, arbitrary: iptablesRules.map((rules) => ({ kind: 'iptables-legacy' as const, rules })) },
  { weight: 1, arbitrary: iptablesRules.map((rules) => ({ kind: 'iptables-nft' as const, rules })) },
)

interface Told {
  readonly nft: string
  readonly save: readonly [string, string] | null
  readonly through: readonly number[]
  readonly left: readonly number[]
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

type Ends = Readonly<Partial<Record<'accepted' | 'dropped', boolean>>> & { readonly isSure: boolean }

/** What the evaluator says: whether the packet is still there at the end of its way. */
function said(ruleset: Ruleset, packet: Packet): Readonly<Record<'through' | 'left', Ends>> {
  const isOwn = packet.destination === ENDS[packet.family].own
  const common: Packets = {
    family: singleValue(packet.family === 4 ? 2 : 10),
    protocol: singleValue(packet.protocol),
    [packet.family === 4 ? 'saddr' : 'saddr6']: number(packet.source),
    [packet.family === 4 ? 'daddr' : 'daddr6']: number(packet.destination),
    sport: singleValue(packet.sport),
    dport: singleValue(packet.dport),
    state: singleValue(0),
    pkttype: singleValue(0),
    dsttype: singleValue(isOwn ? 2 : 1),
  }
  if (packet.interface === '') {
    const oif = interfacesNamed(isOwn ? 'lo' : 'red1')
    const { accepted, dropped } = followPackets(ruleset, WAY.output, { ...common, oif })
    return { through: NOBODY, left: endsOf(accepted, dropped) }
  }
  const arriving = { ...common, iif: interfacesNamed('red0') }
  const isHere = (flow: Flow): boolean =>
    flow.origin === undefined ? isOwn : isTo(flow, ENDS[packet.family].own) || isSameAddress(flow, packet)
  const within = followPackets(ruleset, WAY.input, arriving)
  const past = followPackets(ruleset, WAY.forward, { ...arriving, oif: interfacesNamed('red1') })
  return {
    through: endsOf(within.accepted.filter(isHere), within.dropped),
    left: endsOf(
      past.accepted.filter((flow) => !isHere(flow)),
      past.dropped,
    ),
  }
}

const NOBODY: Ends = { accepted: false, isSure: true }

function number(address: string): Packets['saddr'] & object {
  return singleValue(addressNumber(address)?.value ?? -1n)
}

function isTo({ packets }: Flow, address: string): boolean {
  return String(packets.daddr ?? packets.daddr6) === String(number(address))
}

/** A redirection is to the machine itself, with any original address. */
function isSameAddress(flow: Flow, { destination }: Packet): boolean {
  return isTo(flow, destination)
}

function endsOf(accepted: readonly Flow[], dropped: readonly Flow[]): Ends {
  return {
    accepted: accepted.length > 0,
    isSure: [...accepted, ...dropped].every(({ certainty }) => certainty === 'sure'),
  }
}

describe.skipIf(needs)(`packets that pass or leave`, () => {
  test('get as far as the rules say', () => {
    const rounds = fc.record({ rules: kinds, packets: fc.array(packet, { minLength: 8, maxLength: 8 }) })
    const made = sample(rounds, { usual: 300, soak: 3_000 }, 15)
    let sport = 10_000
    const tried = made.map(({ rules, packets }): Case => ({
      ...rules,
      packets: packets.map((each) => ({ ...each, sport: (sport += 1) })),
    }))
    const told = tell(tried)
    const counts = { through: 0, left: 0, neither: 0, unclear: 0 }
    const wrong = tried.flatMap((each, index): readonly object[] => {
      const truth = told[index]
      const ruleset = truth && rulesetOf(textsOf(each, truth))
      if (truth === undefined || ruleset === undefined) return [{ rules: each.rules, problem: 'not understood' }]
      return each.packets.flatMap((sent) => {
        // What measures lets nothing out.
        const chains = ruleset.chains.filter(({ table }) => table !== 'probe')
        const saying = said({ ...ruleset, chains }, sent)
        const real = {
          through: sent.interface !== '' && truth.through.includes(sent.sport),
          left: truth.left.includes(sent.sport),
        }
        counts[real.through ? 'through' : real.left ? 'left' : 'neither'] += 1
        return (['through', 'left'] as const).flatMap((end) => {
          const { accepted, isSure } = saying[end]
          if (!isSure) counts.unclear += 1
          // What is not sure may be either, but nothing that got through was surely dropped.
          const isRight = isSure ? accepted === real[end] : accepted === true || !real[end]
          return isRight ? [] : [{ rules: each.rules, kind: each.kind, sent, real, end, accepted, isSure }]
        })
      })
    })
    expectAgreement({ reader: 'packets forwarded', program: 'nft', texts: tried.length }, wrong)
    expect(Math.min(counts.through, counts.left, counts.neither)).toBeGreaterThan(tried.length / 4)
    expect(counts.unclear).toBeLessThan(tried.length)
  })
})
