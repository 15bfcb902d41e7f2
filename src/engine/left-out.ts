import type { Decision } from '../model/decision.ts'
import type { UndecidedProperty } from '../model/drift.ts'
import { notApplicable, type Unknown } from '../model/observation.ts'
import type { Examination } from '../resource-type/define.ts'

/**
 * Removes checks that need a running system from an examination. Other read errors stay; drift leaves the decision
 * unchanged; a resource without any compared value is not applicable.
 */
export function leaveOutRunning(seen: Examination): Examination {
  if (seen.kind === 'not-applicable') return seen
  if (seen.kind === 'unknown') return needsStart(seen) ? notApplicable(seen.detail) : seen
  const { decision } = seen
  const left = decision.unknown.filter(needsStart)
  if (left.length === 0) return seen
  const unknown = decision.unknown.filter((each) => !needsStart(each))
  const message = sentenceOf(left)
  const isJudged = decision.drift.length > 0 || unknown.length > 0 || decision.comparesStored === true
  if (!isJudged) return notApplicable(message)
  const rest: Decision<unknown> = { ...decision, unknown, messages: [...(decision.messages ?? []), message] }
  return { ...seen, decision: rest }
}

function needsStart({ needs }: Pick<Unknown, 'needs'>): boolean {
  return needs === 'running-system'
}

function sentenceOf(left: readonly UndecidedProperty[]): string {
  const names = [...new Set(left.map(({ property }) => property))].join(', ')
  return `not evaluated, because it requires a running system: ${names}`
}
