import { countOf } from '../../model/count-of.ts'
import { keyOf } from '../../model/findings/standing.ts'
import type { Policy } from '../../model/policy.ts'
import type { ControlResult, ResourceResult, Run } from '../../model/run.ts'
import type { Verdict } from '../../model/verdict.ts'

const LEVEL = /^level-(?<level>\d+)$/

/** Verdicts of drifted resources that were not changed. */
const LEFT: ReadonlySet<Verdict> = new Set(['drifted', 'fix-failed'])

/** True for a benchmark, whose controls have levels; a fix of one is announced. */
export function haveLevels(policies: readonly Pick<Policy, 'controls'>[]): boolean {
  return policies.some(({ controls }) => controls.some(({ tags }) => tags.some((tag) => LEVEL.test(tag))))
}

/** Unique key of a resource in a run. */
export function keyInRun(policy: string, result: Pick<ResourceResult, 'path' | 'id'>): string {
  return keyOf('', policy, result)
}

/**
 * Announces how many controls a fix will change, by level, and how many it leaves, with reasons. `changed` holds the
 * keys of the resources to change in the counting audit.
 */
export function announcement(audit: Run, changed: ReadonlySet<string>): string {
  const counts = { changed: [] as ControlResult[], risky: 0, impossible: 0, manual: 0, undecided: 0 }
  for (const { id: policy, controls, resources } of audit.policies) {
    const byKey = new Map(resources.map((result) => [keyInRun(policy, result), result]))
    for (const control of controls) {
      const keys = control.resources.map((id) => keyInRun(policy, { ...control, id }))
      const drifted = keys.flatMap((key) => byKey.get(key) ?? []).filter(({ verdict }) => LEFT.has(verdict))
      if (keys.some((key) => changed.has(key))) counts.changed.push(control)
      else if (drifted.some(({ risk }) => risk !== undefined)) counts.risky++
      else if (drifted.length > 0) counts.impossible++
      else if (control.verdict === 'not-evaluated') counts.manual++
      else if (control.verdict === 'error' || control.verdict === 'blocked') counts.undecided++
    }
  }
  const left = [
    [counts.risky, 'risky'],
    [counts.impossible, 'not fixable or not selected'],
    [counts.manual, 'manual (needs review)'],
    [counts.undecided, 'unknown'],
  ] as const
  const reasons = left.flatMap(([count, words]) => (count === 0 ? [] : [`${count} ${words}`]))
  const total = left.reduce((sum, [count]) => sum + count, 0)
  const changes = `this fix will change ${countOf(counts.changed.length, 'control')}${levelsOf(counts.changed)}`
  return `${changes}${total === 0 ? '' : `, and leaves ${total}: ${reasons.join(', ')}`}`
}

function levelsOf(controls: readonly ControlResult[]): string {
  const levels = new Map<string, number>()
  for (const { tags = [] } of controls) {
    const level = tags.map((tag) => LEVEL.exec(tag)?.groups?.['level']).find((found) => found !== undefined)
    if (level !== undefined) levels.set(level, (levels.get(level) ?? 0) + 1)
  }
  const sorted = [...levels].toSorted(([left], [right]) => Number(left) - Number(right))
  return sorted.length === 0 ? '' : ` (${sorted.map(([level, count]) => `${count} of level ${level}`).join(', ')})`
}
