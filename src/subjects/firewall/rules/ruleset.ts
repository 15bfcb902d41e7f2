import type { Packets } from './packets.ts'

/** The hooks of the network stack that rules decide at, as nftables calls them. */
export const HOOKS = ['ingress', 'prerouting', 'input', 'forward', 'output', 'postrouting'] as const

/** One of `HOOKS`. */
export type Hook = (typeof HOOKS)[number]

/**
 * How well a condition is understood. `sure`: it holds for exactly these packets. `few`: for a small part of them, such as
 * those of one hardware address. `many`: for some and not for others, such as a limit. `unclear`: unknown.
 */
export type Certainty = 'sure' | 'few' | 'many' | 'unclear'

/** Whether a packet is one of any of these, or with `negated` of none. */
export interface Condition {
  readonly kind: 'condition'
  readonly anyOf: readonly Packets[]
  readonly negated: boolean
  readonly certainty: Certainty
}

/** What a rule says of the packets that meet its conditions. */
export type Verdict =
  | { readonly kind: 'accept' | 'drop' | 'return' | 'continue' }
  | { readonly kind: 'jump' | 'goto'; readonly chain: string }
  /** The destination becomes another; without an address it is this machine. An absent port stays as it is. */
  | { readonly kind: 'dnat'; readonly address?: Packets; readonly port?: Packets }
  /** The packet is no longer followed by connection tracking. */
  | { readonly kind: 'notrack' }
  /** Something else decides, or it is not known what is done. */
  | { readonly kind: 'opaque' }

/** A verdict for each of several packets; the others go on with the rule. */
export interface VerdictMap {
  readonly kind: 'map'
  readonly entries: readonly { readonly on: Condition; readonly verdict: Verdict }[]
}

/** A part of a rule, in the order in which it is carried out. */
export type Step = Condition | VerdictMap | Verdict

/** One rule: its steps, and what it is called in messages. */
export interface FirewallRule {
  readonly text: string
  readonly steps: readonly Step[]
}

/** Where a base chain is called. */
export interface Base {
  readonly hook: Hook
  readonly type: string
  readonly priority: number
  readonly policy: 'accept' | 'drop'
  /** Of an ingress chain: the packets that come in at its devices. */
  readonly packets?: Packets
}

/** The rules of one chain. Jumps are to chains of the same table. */
export interface Chain {
  /** `ip`, `ip6`, `inet`, `netdev` and so on. */
  readonly family: string
  readonly table: string
  readonly name: string
  readonly base?: Base
  readonly rules: readonly FirewallRule[]
}

/** Everything that decides about packets. */
export interface Ruleset {
  /** `family name` of every table of nftables. */
  readonly tables: readonly string[]
  readonly chains: readonly Chain[]
}

/** How a chain is called in messages. */
export function chainName({ family, table, name }: Chain): string {
  return `${family} ${table} ${name}`
}

/** A condition that holds for exactly these packets. */
export function when(...anyOf: readonly Packets[]): Condition {
  return { kind: 'condition', anyOf, negated: false, certainty: 'sure' }
}

/** A condition on something that is not followed: it may hold for any packet. */
export function perhaps(certainty: Exclude<Certainty, 'sure'>): Condition {
  return { kind: 'condition', anyOf: [{}], negated: false, certainty }
}
