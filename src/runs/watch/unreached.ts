import type { PolicyResult, Run } from '../../model/run.ts'

/**
 * A run with what was known before of the targets that it has not reached: an unreachable target is no change of what was seen, and what is
 * seen afterwards is not new.
 */
export function withUnreached(run: Run, before: Run | undefined): Run {
  const unreached = new Set(run.policies.filter(isUnreached).map(({ target }) => target))
  const kept = (before?.policies ?? []).filter((policy) => unreached.has(policy.target) && !isUnreached(policy))
  return kept.length === 0 ? run : { ...run, policies: [...run.policies, ...kept] }
}

/** What stands for an unreachable target. */
function isUnreached({ resources }: PolicyResult): boolean {
  return resources.length > 0 && resources.every(({ reason }) => reason === 'unreachable')
}
