import type { Reading } from '../core/observation.ts'
import type { Ruleset } from './firewall/ruleset.ts'

/** The rules of a target that decide about packets, read-only. */
export interface Firewall {
  /**
   * All that the kernel has in the network namespace that driftgate runs in: those of nftables, those that iptables made there,
   * and those of its older interface. Read once, and again after `forget`.
   */
  rules(signal: AbortSignal): Promise<Reading<Ruleset>>
}
