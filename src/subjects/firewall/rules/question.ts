import { type AddressFamily, everyValue, FAMILY_NUMBER, interfaceName, only, type Packets } from './packets.ts'
import { type Intervals, intervalsOf } from './intervals.ts'
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
export const DROPPED: Answer = { kind: 'drop', by: 'all that is not accepted' }

/** Packets to evaluate against a ruleset. */
export interface Question {
  readonly ruleset: Ruleset
  readonly family: AddressFamily
  readonly machine: Surroundings
}

/** The hooks of filter rules. */
export type FilterHook = 'input' | 'forward' | 'output'

/** The hooks that packets traverse. */
export const WAY: Readonly<Record<FilterHook, readonly Hook[]>> = {
  input: ['ingress', 'prerouting', 'input'],
  forward: ['ingress', 'prerouting', 'forward', 'postrouting'],
  output: ['output', 'postrouting'],
}

/** Numbers of the protocols with ports. */
export const PROTOCOL: Readonly<Record<'tcp' | 'udp', number>> = { tcp: 6, udp: 17 }

/** Interface of packets that the machine sends to itself. */
export const LOOPBACK: string = 'lo'
/** An interface that no rule names. */
export const ANOTHER: string = '?'
/** Loopback addresses. */
export const LOOPBACK_NETWORK: Readonly<Record<AddressFamily, Intervals>> = {
  ip: [[0x7f000000n, 0x7fffffffn]],
  ip6: only(1),
}

/** Reason if no rule accepts the packets. */
export const NO_CHAIN: string = 'the kernel, since no chain decides about them'

/** The rule on the path of the packets that is not understood. */
export function doubtOf(flow: Flow | undefined): string {
  return flow?.unclear ?? 'a rule that is not understood'
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
  return { family: only(FAMILY_NUMBER[family]), state: only(0), pkttype: only(0), dnat: only(0) }
}

/** Packets from these addresses. */
export function source(family: AddressFamily, values: Intervals): Packets {
  return { [family === 'ip' ? 'saddr' : 'saddr6']: values }
}

/** Packets to these addresses. */
export function destination(family: AddressFamily, values: Intervals): Packets {
  return { [family === 'ip' ? 'daddr' : 'daddr6']: values }
}

/** The known addresses of the machine. */
export function knownAddresses({ addresses }: Surroundings, family: AddressFamily): Intervals {
  return intervalsOf((addresses?.[family] ?? []).map((address) => [address, address]))
}

/** The addresses of the machine, or every address if it has no address of the family or they are unknown. */
export function ownAddresses(machine: Surroundings, family: AddressFamily): Intervals {
  const own = knownAddresses(machine, family)
  return own.length === 0 ? everyValue(family === 'ip' ? 'daddr' : 'daddr6') : own
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

/** Evaluates packets at hooks. */
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
export function worst(answers: readonly Answer[], unwanted: Answer['kind']): Answer | undefined {
  return answers.find(({ kind }) => kind === unwanted) ?? answers.find(({ kind }) => kind === 'unclear')
}
