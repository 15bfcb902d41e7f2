import type { Drift } from '../../model/drift.ts'
import type { ResourceResult } from '../../model/run.ts'

/** Resources of one type about which a report has the same to say, in their order. Never empty. */
export type EqualResults = readonly [ResourceResult, ...ResourceResult[]]

/**
 * Puts results together that differ in nothing but their names, controls and places: same type, verdict and severity, below
 * the same apply resources, same drift with the same values, notes and differences, same prospects of a fix, same trouble.
 * Each group stands where its first member does. Nothing is compared loosely, so what is said of the first is true of all.
 */
export function groupEqual(results: readonly ResourceResult[]): readonly EqualResults[] {
  const groups = new Map<string, [ResourceResult, ...ResourceResult[]]>()
  for (const result of results) {
    const key = shapeOf(result)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [result])
    else group.push(result)
  }
  return [...groups.values()]
}

function shapeOf(result: ResourceResult): string {
  const { type, verdict, severity, path, change, changeReason, drift, remaining, unknown } = result
  const { actions, effect, risk, irreversible, output, reason, errors, blockedBy, waivers, warnings } = result
  // What a message says of drift, the drift says itself.
  const message = drift.length === 0 ? result.message : undefined
  const health = result.health?.map(({ name, status }) => [name, status])
  return JSON.stringify([
    [type, verdict, severity, path, change, changeReason, message, reason],
    [drift.map((each) => [shapeOfDrift(each), each.baseline, each.waiver]), remaining?.map(shapeOfDrift), unknown],
    [actions, effect, risk, irreversible, output, errors, blockedBy, waivers, warnings, health],
  ])
}

function shapeOfDrift({ property, path, desired, observed, note, diff }: Drift): readonly unknown[] {
  return [property, path, desired, observed, note, diff]
}
