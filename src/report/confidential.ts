import type { Drift } from '../model/drift.ts'
import type { ResourceResult, Run } from '../model/run.ts'

const NOTE = 'not shown: the file is private, and this report is not'

/** A run for readers who may not read every file of the machine: without the diffs of such files. */
export function withoutConfidential(run: Run): Run {
  if (!run.policies.some(({ resources }) => resources.some(isConfidential))) return run
  const policies = run.policies.map((policy) => ({
    ...policy,
    resources: policy.resources.map(withoutConfidentialDiffs),
  }))
  return { ...run, policies }
}

export function withoutConfidentialDiffs(result: ResourceResult): ResourceResult {
  if (!isConfidential(result)) return result
  const { remaining } = result
  return {
    ...result,
    drift: result.drift.map(withoutDiff),
    ...(remaining === undefined ? {} : { remaining: remaining.map(withoutDiff) }),
  }
}

function isConfidential({ drift, remaining = [] }: ResourceResult): boolean {
  return [...drift, ...remaining].some(({ confidential }) => confidential)
}

function withoutDiff<Reported extends Drift>(drift: Reported): Reported {
  if (drift.confidential === undefined) return drift
  const { diff: _hidden, confidential: _said, ...rest } = drift
  return { ...rest, note: rest.note === undefined ? NOTE : `${rest.note}; ${NOTE}` } as Reported // the diff is optional
}
