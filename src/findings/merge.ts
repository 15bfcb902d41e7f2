import { EXIT, worstExit } from '../core/gate.ts'
import { type BaselineComparison, fateCounts } from '../core/baseline.ts'
import type { Problem } from '../core/problem.ts'
import type { PolicyResult, Run, RunTarget, Summary } from '../core/run.ts'
import { VERDICTS } from '../core/verdict.ts'
import type { WaiverRecord } from '../core/waiver.ts'

/** Several runs as one, whose policies say where they come from; a single run stays as it is. Takes at least one. */
export function mergeRuns([first, ...others]: readonly [Run, ...Run[]]): Run {
  if (others.length === 0) return first
  const runs = [first, ...others]
  const problems = distinct([...runs.flatMap(({ problems: own = [] }) => own), ...runs.flatMap(incompleteness)])
  const notes = distinct(runs.flatMap(({ notes: own = [] }) => own))
  const waivers = mergeWaivers(runs.flatMap(({ waivers: own = [] }) => own))
  const baselines = runs.flatMap(({ baseline }) => baseline ?? [])
  return {
    schema: first.schema,
    tool: first.tool,
    run: mergeFrames(runs),
    target: mergeTargets(runs.map(({ target }) => target)),
    policies: runs.flatMap(withOrigin),
    summary: addSummaries(runs.map(({ summary }) => summary)),
    exit: {
      code: worstExit(runs.map(({ exit }) => exit.code)),
      reasons: runs.flatMap(({ target, exit }) => exit.reasons.map((reason) => `${target.hostname}: ${reason}`)),
    },
    ...(problems.length === 0 ? {} : { problems }),
    ...(notes.length === 0 ? {} : { notes }),
    ...(waivers.length === 0 ? {} : { waivers }),
    ...(baselines.length === 0 ? {} : { baseline: mergeBaselines(baselines) }),
  }
}

function mergeFrames(runs: readonly Run[]): Run['run'] {
  const frames = runs.map(({ run }) => run)
  return {
    id: frames.map(({ id }) => id).join('+'),
    mode: frames.some(({ mode }) => mode === 'fix') ? 'fix' : 'audit',
    // Times of this form are in order as texts.
    startedAt: frames.map(({ startedAt }) => startedAt).toSorted()[0] ?? '',
    finishedAt:
      frames
        .map(({ finishedAt }) => finishedAt)
        .toSorted()
        .at(-1) ?? '',
    durationMs: sum(frames.map(({ durationMs }) => durationMs)),
    interrupted: frames.some(({ interrupted }) => interrupted),
  }
}

function mergeTargets(targets: readonly RunTarget[]): RunTarget {
  const systems = distinct(targets.map(({ os }) => os))
  const [only] = systems
  return {
    kind: 'merged',
    hostname: distinct(targets.map(({ hostname }) => hostname)).join(', '),
    os: only !== undefined && systems.length === 1 ? only : { id: '', version: '' },
  }
}

function withOrigin({ run, target, policies }: Run): readonly PolicyResult[] {
  const { id: runId, mode, startedAt } = run
  return policies.map((policy) => ({ ...policy, origin: policy.origin ?? { runId, mode, startedAt, target } }))
}

/** What a run that is not whole would hide among others. */
function incompleteness({ target, exit, run }: Run): readonly Problem[] {
  const isWhole = exit.code !== EXIT.notPerformed && exit.code !== EXIT.nothingEvaluated && !run.interrupted
  if (isWhole) return []
  return exit.reasons.map((reason) => ({ message: `${target.hostname}: ${reason}`, severity: 'error' }))
}

function addSummaries(summaries: readonly Summary[]): Summary {
  const counts = VERDICTS.map((verdict) => [verdict, sum(summaries.map((summary) => summary[verdict]))] as const)
  // One entry per verdict.
  return { total: sum(summaries.map(({ total }) => total)), ...(Object.fromEntries(counts) as Omit<Summary, 'total'>) }
}

/** The same waiver in several runs is one that accepted all of it. */
function mergeWaivers(records: readonly WaiverRecord[]): readonly WaiverRecord[] {
  const merged = new Map<string, WaiverRecord>()
  for (const record of records) {
    const key = JSON.stringify([record.id, record.expires, record.source, record.daysLeft])
    const known = merged.get(key)
    merged.set(key, known === undefined ? record : { ...known, accepted: known.accepted + record.accepted })
  }
  return [...merged.values()]
}

function mergeBaselines(baselines: readonly BaselineComparison[]): BaselineComparison {
  return {
    source: distinct(baselines.map(({ source }) => source)).join(', '),
    runId: distinct(baselines.map(({ runId }) => runId)).join('+'),
    startedAt: baselines.map(({ startedAt }) => startedAt).toSorted()[0] ?? '',
    counts: fateCounts((fate) => sum(baselines.map(({ counts }) => counts[fate]))),
    resolved: baselines.flatMap(({ resolved }) => resolved),
    incomparable: baselines.flatMap(({ incomparable }) => incomparable),
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}

function distinct<T>(values: readonly T[]): readonly T[] {
  return [...new Map(values.map((value) => [JSON.stringify(value), value])).values()]
}
