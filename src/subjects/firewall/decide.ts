import type { Decision } from '../../model/decision.ts'
import { unreadable } from '../../model/differences.ts'
import type { Seen } from '../../model/observation.ts'
import { compareRules, type FirewallState } from './compare.ts'
import { type FirewallAction, planFor } from './plan.ts'
import { comparesStored, type Finding, type FirewallDesired, mergeFindings, NOTHING } from './wanted.ts'

/** Compares what is wanted of a hook with what the rules do with packets, and what keeps the rules. */
export function decideFirewall(wanted: FirewallDesired, observed: Seen<FirewallState>): Decision<FirewallAction> {
  if (observed.kind === 'absent') throw new Error('the rules of a machine are never absent')
  const { state } = observed
  const found = mergeFindings([compareRules(wanted, state), compareManager(wanted, state)])
  return {
    ensure: { desired: 'present', observed: 'present' },
    ...found,
    comparesStored:
      (wanted.manager !== undefined && state.managers.enabled.kind === 'known') ||
      (comparesStored(wanted) && state.stored.kind === 'known'),
    plan: planFor(wanted, state, found.drift),
  }
}

function compareManager({ manager }: FirewallDesired, { managers }: FirewallState): Finding {
  if (manager === undefined) return NOTHING
  const halves = [
    { property: 'manager', names: managers.running },
    { property: 'enabled', names: managers.enabled },
  ]
  return mergeFindings(
    halves.map(({ property, names }): Finding => {
      if (names.kind === 'unknown') return { drift: [], unknown: [unreadable(property, names)] }
      const observed = names.value.join(', ')
      if (observed === manager) return NOTHING
      return { drift: [{ property, desired: manager, observed: observed === '' ? 'none' : observed }], unknown: [] }
    }),
  )
}
