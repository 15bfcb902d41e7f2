import type { PolicyResult, Run } from '../../model/run.ts'

/**
 * Adds the last known state of unreached targets to a run: an unreachable target is not a change, and its later state
 * is not new.
 */
export function withUnreached(run: Run, before: Run | undefined): Run {
  const unreached = new Set(run.policies.filter(isUnreached).map(({ target }) => target))
  const kept = (before?.policies ?? []).filter((policy) => unreached.has(policy.target) && !isUnreached(policy))
  return kept.length === 0 ? run : { ...run, policies: [...run.policies, ...kept] }
}

/** True for the result of an unreachable target. */
function isUnreached({ resources }: PolicyResult): boolean {
  return resources.length > 0 && resources.every(({ reason }) => reason === 'unreachable')
}
