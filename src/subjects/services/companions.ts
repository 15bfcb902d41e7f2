import type { Decision, Plan } from '../../model/decision.ts'
import type { Reading } from '../../model/observation.ts'
import type { CompanionUnit } from './services.ts'

/** Undefined if not observed. */
type Companions = Reading<readonly CompanionUnit[]> | undefined

/** Adds the units that systemd changes along with the unit to the plan. */
export function withCompanions<Action extends { readonly along?: readonly string[] }>(
  plan: Plan<Action>,
  companions: Companions,
): Plan<Action> {
  if (plan.kind !== 'act' || companions?.kind !== 'known' || companions.value.length === 0) return plan
  const effects = companions.value.map(({ unit, step }) => ({ kind: step, object: unit, alongside: true }) as const)
  const along = companions.value.flatMap(({ unit, step }) => (step === 'stop' || step === 'restart' ? [unit] : []))
  const action = along.length === 0 ? plan.action : { ...plan.action, along }
  return { ...plan, action, effects: [...(plan.effects ?? []), ...effects] }
}

/** Warns if the companions are unknown. */
export function unknownCompanions(unit: string, companions: Companions): Pick<Decision<unknown>, 'warnings'> {
  if (companions?.kind !== 'unknown') return {}
  return { warnings: [`the units that start or stop with ${unit} are unknown: ${companions.detail}`] }
}
