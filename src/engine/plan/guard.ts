import { canonicalJson } from '../../model/canonical-json.ts'
import type { Drift } from '../../model/drift.ts'
import { formatProperty, formatValue } from '../../model/format-value.ts'
import type { ResourceResult } from '../../model/run.ts'
import { placeOf, type PlanInput, type PlannedChange, type SavedPlan } from '../../model/saved-plan.ts'
import type { Reviewer } from '../review.ts'
import { type Fingerprint, fingerprintsOf } from './fingerprint.ts'

export interface CarryOut {
  readonly fingerprint: Fingerprint
  readonly inputs: readonly PlanInput[]
}

/** Restricts a fix to its plan: unplanned changes are left, deviating ones refused. */
export function guardPlan({ changes, audit, inputs: before }: SavedPlan, { fingerprint, inputs }: CarryOut): Reviewer {
  const hasOtherInputs = canonicalJson(before) !== canonicalJson(inputs)
  const planned = new Map(changes.map((change) => [placeOf(change.policy, change), change]))
  const results = new Map(
    audit.policies.flatMap(({ id, resources }) => resources.map((result) => [placeOf(id, result), result] as const)),
  )
  return (proposal) => {
    const place = placeOf(proposal.policy, proposal.result)
    const [change, then] = [planned.get(place), results.get(place)]
    if (change === undefined || then === undefined) return { kind: 'left', reason: 'it is not in the plan' }
    // Its inputs are not known yet, so whether changed data matters is unknown.
    if (change.readsAssumed === true && hasOtherInputs) {
      return { kind: 'refused', reason: `changed since the plan: ${inputsDiffer(before, inputs)}` }
    }
    const what = whatChanged(change, fingerprintsOf(proposal, fingerprint), { then, now: proposal.result })
    return what === undefined ? undefined : { kind: 'refused', reason: `changed since the plan: ${what}` }
  }
}

/** Differences of the operator's inputs from those of a plan; empty if they are equal. */
export function inputsDiffer(before: readonly PlanInput[], now: readonly PlanInput[]): string {
  const [known, given] = [before, now].map((inputs) => new Map(inputs.map((input) => [canonicalJson(input), input])))
  const nameOf = ({ option, path }: PlanInput): string => (path === undefined ? `--${option}` : `--${option} ${path}`)
  const only = (of = new Map<string, PlanInput>(), others = new Map<string, PlanInput>()): readonly string[] =>
    [...of].flatMap(([key, input]) => (others.has(key) ? [] : [`${nameOf(input)} (${input.fingerprint})`]))
  const [gone, added] = [only(known, given), only(given, known)]
  return gone.length + added.length === 0
    ? ''
    : `${gone.join(', ') || 'nothing'} then, ${added.join(', ') || 'nothing'} now`
}

interface Looks {
  readonly then: ResourceResult
  readonly now: ResourceResult
}

/** Differences from the plan, with both values; undefined without any. */
function whatChanged(
  planned: PlannedChange,
  now: Pick<PlannedChange, 'declared' | 'wanted' | 'observed'>,
  looks: Looks,
): string | undefined {
  const isSame = (part: keyof typeof now): boolean => planned[part] === now[part]
  const values = differencesOf(looks)
  const said = (what: string, part: keyof typeof now): string =>
    values.length > 0 ? values.join('; ') : `${what} (${planned[part]} then, ${now[part]} now)`
  if (!isSame('declared')) return said('its definition in the policy', 'declared')
  if (planned.readsAssumed === true) return undefined
  if (!isSame('wanted')) return said('its desired state', 'wanted')
  if (isSame('observed')) return undefined
  if (planned.assumed === undefined) return said('its planned change', 'observed')
  // The observed value depends on an earlier change, the desired value does not.
  const wanted = wantedOtherwise(looks)
  return wanted.length === 0 ? undefined : wanted.join('; ')
}

function differencesOf(looks: Looks): readonly string[] {
  const { then, now } = driftsOf(looks)
  const found = [...then].flatMap(([property, old]) => {
    const current = now.get(property)
    if (current === undefined) return [`${property}: found ${formatValue(old.observed)} then, and no drift now`]
    return isEqual(old.observed, current.observed)
      ? []
      : [`${property}: found ${formatValue(old.observed)} then and ${formatValue(current.observed)} now`]
  })
  const others = [...now].filter(([property]) => !then.has(property))
  return [
    ...wantedOtherwise(looks),
    ...found,
    ...others.map(([property, { observed }]) => `${property}: compliant then, found ${formatValue(observed)} now`),
  ]
}

function wantedOtherwise(looks: Looks): readonly string[] {
  const { then, now } = driftsOf(looks)
  return [...then].flatMap(([property, { desired }]) => {
    const current = now.get(property)
    if (current === undefined || isEqual(desired, current.desired)) return []
    return [`${property}: wanted ${formatValue(desired)} then and ${formatValue(current.desired)} now`]
  })
}

function driftsOf({ then, now }: Looks): Record<keyof Looks, ReadonlyMap<string, Drift>> {
  const byProperty = (drift: readonly Drift[]): ReadonlyMap<string, Drift> =>
    new Map(drift.map((each) => [formatProperty(each), each]))
  return { then: byProperty(then.drift), now: byProperty(now.drift) }
}

function isEqual(left: Drift['desired'], right: Drift['desired']): boolean {
  return canonicalJson(left) === canonicalJson(right)
}
