import type { ApplyOutcome } from '../../model/decision.ts'
import type { Reading } from '../../model/observation.ts'
import type { AddedRules, BaseChain } from './rules/added.ts'
import type { Ruleset } from './rules/ruleset.ts'

/** Programs that manage the rules of a machine, as policies name them. */
export const FIREWALL_MANAGERS = ['nftables', 'ufw', 'firewalld', 'iptables'] as const

export type FirewallManager = (typeof FIREWALL_MANAGERS)[number]

/** The packet filter rules of a target, read-only. */
export interface Firewall {
  /**
   * All rules of the kernel in the network namespace of driftgate: nftables, including rules from iptables, and legacy
   * iptables. Read once, and again after `forget`.
   */
  rules(signal: AbortSignal): Promise<Reading<Ruleset>>
  /** The rules that a manager loads at boot. Those of nftables are tested in a separate network namespace. */
  stored(manager: FirewallManager, signal: AbortSignal): Promise<Reading<Ruleset>>
  /** The port of the current ssh session, if the environment names it. */
  session(): number | undefined
}

/**
 * Rules that a fix changes: rules are added to those in force, or the stored rules are reloaded; rules are added to the stored
 * ones.
 */
export interface ChangedHalves {
  readonly inForce: 'kept' | 'added' | 'reloaded'
  readonly stored: boolean
}

export interface FirewallChange {
  readonly manager: FirewallManager
  readonly added: AddedRules
  /** Base chain for rules that nft adds. */
  readonly place: BaseChain
  readonly halves: ChangedHalves
}

export interface LoadedRules {
  readonly program: 'nft' | 'iptables' | 'ip6tables'
  readonly text: string
}

/** Describes the problem with rules; undefined if they are valid. */
export type JudgeRules = (rules: Ruleset) => string | undefined

/** Firewall operations of a fix. */
export interface FirewallControl {
  /**
   * Adds rules through their manager. Judges the stored rules before they are written, and the rules in force afterwards; after
   * a problem or a failure, restores the previous rules and files.
   */
  change(change: FirewallChange, judge: JudgeRules, signal: AbortSignal): Promise<ApplyOutcome>
  /** Loads rules in one transaction: nft commands, or a replacement of all iptables rules of one family. */
  load(rules: LoadedRules, signal: AbortSignal): Promise<ApplyOutcome>
}
