import { commonPackets, type Field, singleValue, type Packets, packetsWithout } from './packets.ts'
import {
  type Certainty,
  type Chain,
  chainName,
  type Condition,
  type FirewallRule,
  type Hook,
  type Ruleset,
  type Step,
  type Verdict,
} from './ruleset.ts'

/**
 * Packets in the ruleset. Flows that are not `sure` may overlap with others: `few`, `many` and `unclear` say how certain the
 * matched rules are, and `unclear` names the rule that is not understood.
 */
export interface Flow {
  readonly packets: Packets
  readonly certainty: Certainty
  /** The rule or chain policy that accepted or dropped the packets last. */
  readonly by?: string
  readonly unclear?: string
  /** The packets before destination NAT, if it was applied. */
  readonly origin?: Packets
}

/** Result for packets: those dropped on the path, and those that remain at its end. */
export interface Outcome {
  readonly accepted: readonly Flow[]
  readonly dropped: readonly Flow[]
}

/** More steps than any ruleset in practice needs. */
const MOST_STEPS = 200_000
/** More jumps than the kernel allows. */
const DEEPEST = 20

/** Thrown if a ruleset has too many rules, or jumps too deep, to be evaluated. */
export class TooManyRules extends Error {}

/**
 * Evaluates the first packets of connections in all base chains of the hooks, in order: accept continues with the next chain,
 * drop is final. Throws `TooManyRules`.
 */
export function followPackets(ruleset: Ruleset, hooks: readonly Hook[], packets: Packets): Outcome {
  const walk = new Walk(ruleset)
  let flows: readonly Flow[] = [{ packets, certainty: 'sure' }]
  for (const hook of hooks) {
    const chains = ruleset.chains.filter(({ base }) => base?.hook === hook)
    const ordered = chains.toSorted((left, right) => (left.base?.priority ?? 0) - (right.base?.priority ?? 0))
    for (const chain of ordered) flows = walk.baseChain(chain, flows)
  }
  return { accepted: flows, dropped: walk.dropped }
}

const ORDER: readonly Certainty[] = ['sure', 'few', 'many', 'unclear']

function lessCertain(left: Certainty, right: Certainty): Certainty {
  return ORDER.indexOf(left) > ORDER.indexOf(right) ? left : right
}

interface Leaving {
  readonly next: Flow[]
  /** Return to the calling chain. */
  readonly returned: Flow[]
}

class Walk {
  readonly dropped: Flow[] = []
  readonly #chains: ReadonlyMap<string, Chain>
  #accepted: Flow[] = []
  #steps = 0

  constructor(ruleset: Ruleset) {
    this.#chains = new Map(ruleset.chains.map((chain) => [chainName(chain), chain]))
  }

  /** Packets that pass a base chain, including those the chain does not apply to. */
  baseChain(chain: Chain, flows: readonly Flow[]): readonly Flow[] {
    const { base } = chain
    if (base === undefined || WITHOUT_ADDRESSES.has(chain.family)) return flows
    const called: Condition = {
      kind: 'condition',
      anyOf: [{ ...familyPackets(chain.family), ...base.packets }],
      negated: false,
      certainty: 'sure',
    }
    const entering = flows.map((flow) => split(flow, called, ''))
    const passing = entering.flatMap(({ rest }) => rest)
    this.#accepted = []
    const end = this.#rules(
      chain,
      entering.flatMap(({ matched }) => matched),
      0,
    )
    const by = `policy ${base.policy} of ${chainName(chain)}`
    if (base.policy === 'drop') this.dropped.push(...end.map((flow) => ({ ...flow, by })))
    // An accepting rule of an earlier chain is more informative than an accepting policy.
    else this.#accepted.push(...end.map((flow) => ({ ...flow, by: flow.by ?? by })))
    return removeDuplicates([...passing, ...this.#accepted])
  }

  /** Packets that reach the end of a chain, or return from it. */
  #rules(chain: Chain, flows: readonly Flow[], depth: number): readonly Flow[] {
    if (depth > DEEPEST) throw new TooManyRules(`${chainName(chain)} is nested more than ${DEEPEST} jumps deep`)
    let active: readonly Flow[] = flows
    const returned: Flow[] = []
    for (const rule of chain.rules) {
      if (active.length === 0) break
      if (!rule.steps.some(hasEffect)) continue
      const leaving: Leaving = { next: [], returned }
      for (const flow of active) this.#rule({ chain, rule, depth }, flow, leaving)
      active = removeDuplicates(leaving.next)
    }
    return removeDuplicates([...returned, ...active])
  }

  #rule(at: Place, flow: Flow, leaving: Leaving): void {
    let active: readonly Flow[] = [flow]
    for (const [index, step] of at.rule.steps.entries()) {
      this.#steps += active.length
      if (this.#steps > MOST_STEPS) throw new TooManyRules('too many rules to evaluate')
      if (active.length === 0 || !at.rule.steps.slice(index).some(hasEffect)) break
      switch (step.kind) {
        case 'condition': {
          const parts = active.map((each) => split(each, step, textOfRule(at)))
          leaving.next.push(...parts.flatMap(({ rest }) => rest))
          active = parts.flatMap(({ matched }) => matched)
          break
        }
        case 'map':
          for (const { on, verdict } of step.entries) {
            const parts = active.map((each) => split(each, on, textOfRule(at)))
            this.#verdict(
              at,
              parts.flatMap(({ matched }) => matched),
              { verdict, leaving },
            )
            active = parts.flatMap(({ rest }) => rest)
          }
          break
        default:
          active = this.#verdict(at, active, { verdict: step, leaving })
      }
    }
    leaving.next.push(...active)
  }

  /** Packets that continue with the rule. */
  #verdict(at: Place, flows: readonly Flow[], { verdict, leaving }: Decided): readonly Flow[] {
    const by = textOfRule(at)
    switch (verdict.kind) {
      case 'accept':
        this.#accepted.push(...flows.map((flow) => ({ ...flow, by })))
        return []
      case 'drop':
        this.dropped.push(...flows.map((flow) => ({ ...flow, by })))
        return []
      case 'continue':
        leaving.next.push(...flows)
        return []
      case 'return':
        leaving.returned.push(...flows)
        return []
      case 'jump':
      case 'goto': {
        const back = verdict.kind === 'jump' ? leaving.next : leaving.returned
        if (flows.length > 0) back.push(...this.#called(at, flows, verdict.chain))
        return []
      }
      case 'dnat':
        this.#accepted.push(...flows.map((flow) => ({ ...translateDestination(flow, verdict), by })))
        return []
      case 'notrack':
        return flows.map((flow) => ({ ...flow, packets: { ...flow.packets, state: singleValue(UNTRACKED) } }))
      case 'opaque': {
        const unclear = flows.map((flow): Flow => ({ ...flow, certainty: 'unclear', unclear: by, by }))
        this.#accepted.push(...unclear)
        this.dropped.push(...unclear)
        return unclear
      }
    }
  }

  #called({ chain, depth }: Place, flows: readonly Flow[], name: string): readonly Flow[] {
    const target = this.#chains.get(chainName({ ...chain, name }))
    if (target !== undefined) return this.#rules(target, flows, depth + 1)
    // The kernel has no such jump, so the listing is incomplete.
    const by = `${chainName(chain)}: jump to ${name}, a chain that is not listed`
    const unclear = flows.map((flow): Flow => ({ ...flow, certainty: 'unclear', unclear: by, by }))
    this.#accepted.push(...unclear)
    this.dropped.push(...unclear)
    return unclear
  }
}

const UNTRACKED = 4

interface Place {
  readonly chain: Chain
  readonly rule: FirewallRule
  readonly depth: number
}

interface Decided {
  readonly verdict: Verdict
  readonly leaving: Leaving
}

function hasEffect(step: Step): boolean {
  return step.kind !== 'condition'
}

/** Families that see frames of bridge ports and ARP packets, not the packets of the machine. @see nft(8), ADDRESS FAMILIES */
const WITHOUT_ADDRESSES: ReadonlySet<string> = new Set(['bridge', 'arp'])

function familyPackets(family: string): Packets {
  if (family === 'ip') return { family: singleValue(2) }
  return family === 'ip6' ? { family: singleValue(10) } : {}
}

function textOfRule({ chain, rule }: Place): string {
  return `${chainName(chain)}: ${rule.text}`
}

interface Parts {
  readonly matched: readonly Flow[]
  readonly rest: readonly Flow[]
}

/** Splits packets by a condition of a rule; both parts hold all packets if the condition is unknown. */
function split(flow: Flow, { anyOf, negated, certainty }: Condition, rule: string): Parts {
  const inside: Packets[] = []
  let outside: readonly Packets[] = [flow.packets]
  for (const packets of anyOf) {
    inside.push(...outside.flatMap((each) => commonPackets(each, packets) ?? []))
    outside = outside.flatMap((each) => packetsWithout(each, packets))
  }
  const same = (each: Packets): Flow => ({ ...flow, packets: each })
  const [within, without] = [inside.map(same), outside.map(same)]
  const [matched, rest] = negated ? [without, within] : [within, without]
  if (certainty === 'sure') return { matched, rest }
  const doubtful = (each: Flow, doubt: Certainty): Flow => ({
    ...each,
    certainty: lessCertain(each.certainty, doubt),
    ...(doubt === 'unclear' ? { unclear: each.unclear ?? rule } : {}),
  })
  const left = matched.map((each) => (certainty === 'few' ? each : doubtful(each, certainty)))
  return { matched: matched.map((each) => doubtful(each, certainty)), rest: [...rest, ...left] }
}

/** The packets after destination NAT. */
function translateDestination(flow: Flow, { address, port }: Extract<Verdict, { kind: 'dnat' }>): Flow {
  const { daddr: _, daddr6: __, ...others } = flow.packets
  const packets = address === undefined ? flow.packets : { ...others, ...address }
  return {
    ...flow,
    packets: { ...packets, ...port, dnat: singleValue(1) },
    origin: flow.origin ?? flow.packets,
  }
}

/** Removes duplicates: two paths may lead to the same packets. */
function removeDuplicates(flows: readonly Flow[]): readonly Flow[] {
  if (flows.length < 2) return flows
  const kept = new Map(flows.map((flow) => [keyOf(flow), flow]))
  return kept.size === flows.length ? flows : [...kept.values()]
}

function keyOf({ packets, certainty, origin }: Flow): string {
  return `${certainty} ${textOf(packets)} from ${origin === undefined ? '' : textOf(origin)}`
}

function textOf(packets: Packets): string {
  const fields = (Object.keys(packets) as Field[]).toSorted()
  return fields.map((field) => `${field}=${String(packets[field])}`).join(' ')
}
