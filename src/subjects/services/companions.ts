import type { Decision, Plan } from '../../model/decision.ts'
import type { Reading } from '../../model/observation.ts'
import type { CompanionUnit } from './services.ts'

/** What else changes with a unit; undefined without a look. */
type Companions = Reading<readonly CompanionUnit[]> | undefined

/** The plan with what systemd does to other units on the way. */
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

/** A warning where it is not known. */
export function unknownCompanions(unit: string, companions: Companions): Pick<Decision<unknown>, 'warnings'> {
  if (companions?.kind !== 'unknown') return {}
  return { warnings: [`what else starts or stops with ${unit} is not known: ${companions.detail}`] }
}
