import { type AddressFamily, everyValue, FAMILY_NUMBER, interfaceName, singleValue, type Packets } from './packets.ts'
import { difference, type Intervals, intervalsOf } from './intervals.ts'
import { type Flow, followPackets, type Outcome, TooManyRules } from './evaluate.ts'
import type { Condition, Hook, Ruleset, Step } from './ruleset.ts'

/** Properties of a machine that affect its incoming packets. */
export interface Surroundings {
  readonly interfaces: readonly string[]
  /** Addresses except loopback, as numbers; undefined if only the running system knows them. */
  readonly addresses: Readonly<Record<AddressFamily, readonly bigint[]>> | undefined
}

/** Result of the rules for packets, and the rule that decides. */
export type Answer =
  | { readonly kind: 'accept'; readonly by: string; readonly at?: string }
  | { readonly kind: 'drop'; readonly by: string }
  | { readonly kind: 'unclear'; readonly by: string }

/** Answer if all packets are dropped. */
export const DROPPED: Answer = { kind: 'drop', by: 'the ruleset as a whole' }

/** Packets to evaluate against a ruleset. */
export interface Question {
  readonly ruleset: Ruleset
  readonly family: AddressFamily
  readonly machine: Surroundings
}

export type FilterHook = 'input' | 'forward' | 'output'

/** The hooks that packets traverse. */
export const WAY: Readonly<Record<FilterHook, readonly Hook[]>> = {
  input: ['ingress', 'prerouting', 'input'],
  forward: ['ingress', 'prerouting', 'forward', 'postrouting'],
  output: ['output', 'postrouting'],
}

export const PROTOCOL: Readonly<Record<'tcp' | 'udp', number>> = { tcp: 6, udp: 17 }

/** Interface of packets that the machine sends to itself. */
export const LOOPBACK: string = 'lo'
/** An interface that no rule names. */
export const ANOTHER: string = '?'
export const LOOPBACK_NETWORK: Readonly<Record<AddressFamily, Intervals>> = {
  ip: [[0x7f000000n, 0x7fffffffn]],
  ip6: singleValue(1),
}

/** Reason if no rule accepts the packets. */
export const NO_CHAIN: string = 'the kernel, because no chain filters the packets'

/** The rule on the path of the packets that is not understood. */
export function doubtOf(flow: Flow | undefined): string {
  return flow?.unclear ?? 'an unsupported rule'
}

/** Whether any packet is accepted. */
export function anyOf(accepted: readonly Flow[]): Answer {
  const clear = accepted.find(({ certainty }) => certainty !== 'unclear')
  if (clear !== undefined) return { kind: 'accept', by: clear.by ?? NO_CHAIN }
  const [unclear] = accepted
  return unclear === undefined ? DROPPED : { kind: 'unclear', by: doubtOf(unclear) }
}

/** The first packets of connections. */
export function newPackets(family: AddressFamily): Packets {
  return {
    family: singleValue(FAMILY_NUMBER[family]),
    state: singleValue(0),
    pkttype: singleValue(0),
    dnat: singleValue(0),
  }
}

export function source(family: AddressFamily, values: Intervals): Packets {
  return { [family === 'ip' ? 'saddr' : 'saddr6']: values }
}

export function destination(family: AddressFamily, values: Intervals): Packets {
  return { [family === 'ip' ? 'daddr' : 'daddr6']: values }
}

export function knownAddresses({ addresses }: Surroundings, family: AddressFamily): Intervals {
  return intervalsOf((addresses?.[family] ?? []).map((address) => [address, address]))
}

/** Multicast and broadcast addresses, which no machine has. */
const OF_GROUPS: Readonly<Record<AddressFamily, Intervals>> = {
  ip: [
    [0xe0000000n, 0xefffffffn],
    [0xffffffffn, 0xffffffffn],
  ],
  ip6: [[0xffn << 120n, (1n << 128n) - 1n]],
}

/** The addresses of the machine, or all possible ones if no address of the family is known. */
export function ownAddresses(machine: Surroundings, family: AddressFamily): Intervals {
  const own = knownAddresses(machine, family)
  return own.length === 0 ? difference(everyValue(family === 'ip' ? 'daddr' : 'daddr6'), OF_GROUPS[family]) : own
}

/** All existing interfaces, those that rules name, and another one. */
export function interfacesOf({ ruleset, machine }: Question): readonly string[] {
  const named = ruleset.chains
    .flatMap(({ rules }) => rules.flatMap(({ steps }) => steps.flatMap(conditionsIn)))
    .flatMap(({ anyOf: each }) => each.flatMap(({ iif = [], oif = [] }) => [...iif, ...oif]))
    .map(interfaceName)
  return [...new Set([...machine.interfaces, ...named, ANOTHER])].filter((name) => name !== LOOPBACK)
}

function conditionsIn(step: Step): readonly Condition[] {
  if (step.kind === 'condition') return [step]
  return step.kind === 'map' ? step.entries.map(({ on }) => on) : []
}

export function follow(
  { ruleset }: Question,
  hooks: readonly Hook[],
  packets: Packets,
): ({ readonly kind: 'followed' } & Outcome) | Extract<Answer, { kind: 'unclear' }> {
  try {
    return { kind: 'followed', ...followPackets(ruleset, hooks, packets) }
  } catch (error) {
    if (error instanceof TooManyRules) return { kind: 'unclear', by: error.message }
    throw error
  }
}

/** The first unwanted answer, else the first unclear one. */
export function findWorst(answers: readonly Answer[], unwanted: Answer['kind']): Answer | undefined {
  return answers.find(({ kind }) => kind === unwanted) ?? answers.find(({ kind }) => kind === 'unclear')
}
