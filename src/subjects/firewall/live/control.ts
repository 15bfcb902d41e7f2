import type { FirewallControl } from '../firewall.ts'
import type { Journal } from '../../../host/live/journal.ts'

/** What a fix may do to the firewall of this machine. */
export function createFirewallControl(journal: Journal): FirewallControl {
  return {
    // Few policies change rules, so what does loads with the first one.
    change: async (change, judge, signal) =>
      (await import('./change.ts')).changeFirewall(change, judge, { journal, signal }),
    load: async (rules, signal) => (await import('./load.ts')).loadRules(rules, signal),
  }
}
