import type { ApplyOutcome } from '../../model/decision.ts'
import type { Reading } from '../../model/observation.ts'
import type { AddedRules, BaseChain } from './rules/added.ts'
import type { Ruleset } from './rules/ruleset.ts'

/** What keeps the rules of a machine, as policies name it. */
export const FIREWALL_MANAGERS = ['nftables', 'ufw', 'firewalld', 'iptables'] as const

/** One of `FIREWALL_MANAGERS`. */
export type FirewallManager = (typeof FIREWALL_MANAGERS)[number]

/** The rules of a target that decide about packets, read-only. */
export interface Firewall {
  /**
   * All that the kernel has in the network namespace that driftgate runs in: those of nftables, those that iptables made there,
   * and those of its older interface. Read once, and again after `forget`.
   */
  rules(signal: AbortSignal): Promise<Reading<Ruleset>>
  /** The rules that a manager loads when the system starts. Those of nftables are tried in a network namespace of their own. */
  stored(manager: FirewallManager, signal: AbortSignal): Promise<Reading<Ruleset>>
  /** The port at which the user of driftgate came in through ssh, as far as the environment says. */
  session(): number | undefined
}

/** Which of the rules a fix changes: those in force get more, or are replaced by what is stored; what is stored gets more. */
export interface ChangedHalves {
  readonly inForce: 'kept' | 'added' | 'reloaded'
  readonly stored: boolean
}

/** What a fix does to a firewall. */
export interface FirewallChange {
  readonly manager: FirewallManager
  readonly added: AddedRules
  /** Where nft adds them. */
  readonly place: BaseChain
  readonly halves: ChangedHalves
}

/** Rules in the form that a program loads. */
export interface LoadedRules {
  readonly program: 'nft' | 'iptables' | 'ip6tables'
  readonly text: string
}

/** What is wrong with rules, undefined where nothing is. */
export type JudgeRules = (rules: Ruleset) => string | undefined

/** What a fix may do to a firewall. */
export interface FirewallControl {
  /**
   * Adds rules through what keeps them. What is to be stored is judged before it is put in place, what is in force
   * afterwards; where something is wrong, or is refused, the rules and files from before are put back.
   */
  change(change: FirewallChange, judge: JudgeRules, signal: AbortSignal): Promise<ApplyOutcome>
  /** Loads rules in one transaction: commands of nft, or in place of all others those of one family of iptables. */
  load(rules: LoadedRules, signal: AbortSignal): Promise<ApplyOutcome>
}
