import type { BaselineComparison } from '../baseline.ts'
import type { Run, RunTarget, ScannedTarget } from '../run.ts'
import { mergeRuns } from './merge.ts'

/** The run of one target. */
export interface TargetRun extends Pick<ScannedTarget, 'name' | 'spec' | 'kind' | 'labels' | 'reason'> {
  readonly run: Run
}

/**
 * Merges the runs of several targets, in their order. Every policy, and every other part that belongs to one target,
 * names it.
 */
export function mergeTargetRuns(targets: readonly [TargetRun, ...TargetRun[]]): Run {
  const [first, ...others] = targets
  const merged = mergeRuns([ofTarget(first), ...others.map(ofTarget)])
  const scanned = targets.map(describe)
  // A single target of a selection is reported in the same form as several.
  return others.length > 0 ? { ...merged, targets: scanned } : { ...toMergedTarget(merged), targets: scanned }
}

function describe({ run, ...target }: TargetRun): ScannedTarget {
  return { ...target, runId: run.run.id, summary: run.summary, exit: run.exit }
}

/** The run, with the target's name in all parts that would lose it after merging. */
function ofTarget({ name, run }: TargetRun): Run {
  const target: RunTarget = { ...run.target, name }
  const { id: runId, mode, startedAt } = run.run
  return {
    ...run,
    target,
    policies: run.policies.map((policy) => ({
      ...policy,
      target: name,
      origin: { runId, mode, startedAt, target },
    })),
    ...(run.baseline === undefined ? {} : { baseline: comparisonOf(name, run.baseline) }),
  }
}

function comparisonOf(target: string, comparison: BaselineComparison): BaselineComparison {
  return {
    ...comparison,
    resolved: comparison.resolved.map((drift) => ({ target, ...drift })),
    incomparable: comparison.incomparable.map((drift) => ({ target, ...drift })),
  }
}

function toMergedTarget(run: Run): Run {
  return { ...run, target: { kind: 'merged', hostname: run.target.name ?? run.target.hostname, os: run.target.os } }
}
