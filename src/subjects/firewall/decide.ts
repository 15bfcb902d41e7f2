import type { Decision } from '../../model/decision.ts'
import type { Seen } from '../../model/observation.ts'
import { AS_WANTED, drifted, mergeParts, type PartialDecision, undecided } from '../../model/partial-decision.ts'
import { compareRules, type FirewallState } from './compare.ts'
import { type FirewallAction, planFor } from './plan.ts'
import { comparesStored, type FirewallDesired } from './wanted.ts'

/** Compares what is wanted of a hook with what the rules do with packets, and what keeps the rules. */
export function decideFirewall(wanted: FirewallDesired, observed: Seen<FirewallState>): Decision<FirewallAction> {
  if (observed.kind === 'absent') throw new Error('the rules of a machine are never absent')
  const { state } = observed
  const { drift, unknown } = mergeParts([compareRules(wanted, state), compareManager(wanted, state)])
  return {
    ensure: { desired: 'present', observed: 'present' },
    drift,
    unknown,
    comparesStored:
      (wanted.manager !== undefined && state.managers.enabled.kind === 'known') ||
      (comparesStored(wanted) && state.stored.kind === 'known'),
    plan: planFor(wanted, state, drift),
  }
}

function compareManager({ manager }: FirewallDesired, { managers }: FirewallState): PartialDecision {
  if (manager === undefined) return AS_WANTED
  const halves = [
    { property: 'manager', names: managers.running },
    { property: 'enabled', names: managers.enabled },
  ]
  return mergeParts(
    halves.map(({ property, names }): PartialDecision => {
      if (names.kind === 'unknown') return undecided(property, names)
      const observed = names.value.join(', ')
      if (observed === manager) return AS_WANTED
      return drifted({ property, desired: manager, observed: observed === '' ? 'none' : observed })
    }),
  )
}
