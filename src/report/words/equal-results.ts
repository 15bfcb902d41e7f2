import type { Drift } from '../../model/drift.ts'
import type { ResourceResult } from '../../model/run.ts'

/** Resources of one type with equal details, in their order. Never empty. */
export type EqualResults = readonly [ResourceResult, ...ResourceResult[]]

/**
 * Groups results that differ only in names, controls and positions: same type, verdict and severity, same enclosing
 * apply resources, same drift with values, notes and diffs, same change and trouble. Each group takes the position of
 * its first member. The comparison is exact, so the details of the first apply to all.
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
  // With drift, the message repeats it.
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
