import type { Packets } from './packets.ts'

/** Hooks of the network stack, by their nftables names. */
export const HOOKS = ['ingress', 'prerouting', 'input', 'forward', 'output', 'postrouting'] as const

export type Hook = (typeof HOOKS)[number]

/**
 * Certainty of a condition. `sure`: holds for exactly these packets. `few`: for a small part of them, such as those of one
 * hardware address. `many`: for some of them, such as a limit. `unclear`: unknown.
 */
export type Certainty = 'sure' | 'few' | 'many' | 'unclear'

/** Matches a packet that is in any of these sets, or with `negated` in none. */
export interface Condition {
  readonly kind: 'condition'
  readonly anyOf: readonly Packets[]
  readonly negated: boolean
  readonly certainty: Certainty
}

/** Verdict of a rule for packets that match its conditions. */
export type Verdict =
  | { readonly kind: 'accept' | 'drop' | 'return' | 'continue' }
  | { readonly kind: 'jump' | 'goto'; readonly chain: string }
  /** Destination NAT; without an address to this machine. An absent port stays unchanged. */
  | { readonly kind: 'dnat'; readonly address?: Packets; readonly port?: Packets }
  /** Connection tracking ignores the packet. */
  | { readonly kind: 'notrack' }
  /** Another program decides, or the effect is unknown. */
  | { readonly kind: 'opaque' }

/** A verdict per set of packets; other packets continue with the rule. */
export interface VerdictMap {
  readonly kind: 'map'
  readonly entries: readonly { readonly on: Condition; readonly verdict: Verdict }[]
}

/** A part of a rule, in order of evaluation. */
export type Step = Condition | VerdictMap | Verdict

/** A rule: its steps, and its text for messages. */
export interface FirewallRule {
  readonly text: string
  readonly steps: readonly Step[]
}

export interface Base {
  readonly hook: Hook
  readonly type: string
  readonly priority: number
  readonly policy: 'accept' | 'drop'
  /** Of an ingress chain: the packets that arrive at its devices. */
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

/** All rules that filter packets. */
export interface Ruleset {
  /** `family name` of every table of nftables. */
  readonly tables: readonly string[]
  readonly chains: readonly Chain[]
}

export function chainName({ family, table, name }: Chain): string {
  return `${family} ${table} ${name}`
}

/** A condition that holds for exactly these packets. */
export function matchAny(...anyOf: readonly Packets[]): Condition {
  return { kind: 'condition', anyOf, negated: false, certainty: 'sure' }
}

/** A condition on an unmodelled field: it may hold for any packet. */
export function uncertainCondition(certainty: Exclude<Certainty, 'sure'>): Condition {
  return { kind: 'condition', anyOf: [{}], negated: false, certainty }
}
