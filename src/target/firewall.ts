import type { Reading } from '../core/observation.ts'
import type { Ruleset } from './firewall/ruleset.ts'

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
}
