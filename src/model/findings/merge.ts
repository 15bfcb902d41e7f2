import { hash } from 'node:crypto'
import { countOf } from '../count-of.ts'
import { EXIT, worstExit } from '../gate.ts'
import { type BaselineComparison, fateCounts } from '../baseline.ts'
import { hostNameOf } from '../host-name.ts'
import type { Problem } from '../problem.ts'
import type { PolicyResult, Run, RunTarget, Summary } from '../run.ts'
import { VERDICTS } from '../verdict.ts'
import type { WaiverRecord } from '../waiver.ts'
import { distinguishPolicies } from './align.ts'

/**
 * Merges several runs (at least one) into one whose policies name their origin; a single run is returned as it is.
 * `missing` lists runs that could not be read: without them the result is incomplete.
 */
export function mergeRuns([first, ...others]: readonly [Run, ...Run[]], missing: readonly Problem[] = []): Run {
  if (others.length + missing.length === 0) return first
  const runs = [first, ...others]
  const own = runs.flatMap(({ problems: ofRun = [] }) => ofRun)
  const problems = removeDuplicates([...missing, ...own, ...runs.flatMap(incompleteness)])
  const notes = removeDuplicates(runs.flatMap(({ notes: own = [] }) => own))
  const waivers = mergeWaivers(runs.flatMap(({ waivers: own = [] }) => own))
  const baselines = runs.flatMap(({ baseline }) => baseline ?? [])
  return distinguishPolicies({
    schema: first.schema,
    tool: first.tool,
    run: mergeFrames(runs),
    target: mergeTargets(runs.map(({ target }) => target)),
    policies: runs.flatMap(withOrigin),
    summary: addSummaries(runs.map(({ summary }) => summary)),
    exit: mergeExits(runs, missing),
    ...(problems.length === 0 ? {} : { problems }),
    ...(notes.length === 0 ? {} : { notes }),
    ...(waivers.length === 0 ? {} : { waivers }),
    ...(baselines.length === 0 ? {} : { baseline: mergeBaselines(baselines) }),
  })
}

function mergeExits(runs: readonly Run[], missing: readonly Problem[]): Run['exit'] {
  const codes = runs.map(({ exit }) => exit.code)
  const reasons = mergeReasons(runs)
  if (missing.length === 0) return { code: worstExit(codes), reasons }
  return {
    code: worstExit([...codes, EXIT.undecided]),
    reasons: [...reasons, `${countOf(missing.length, 'report')} could not be read`],
  }
}

/** Sums up reasons that count resources over all hosts; every other reason names its host. */
function mergeReasons(runs: readonly Run[]): readonly string[] {
  const groups = new Map<string, { host: string; reason: string; count: number }[]>()
  for (const { target, exit } of runs) {
    for (const reason of exit.reasons) {
      const [, number, what] = /^(\d+) resources? (.*)$/s.exec(reason) ?? []
      const key = what ?? JSON.stringify([hostNameOf(target), reason])
      const group = groups.get(key) ?? []
      group.push({ host: hostNameOf(target), reason, count: Number(number) })
      groups.set(key, group)
    }
  }
  return [...groups].flatMap(([what, group]) => {
    const hosts = new Set(group.map(({ host }) => host))
    if (hosts.size < 2) return group.map(({ host, reason }) => `${host}: ${reason}`)
    return [`${countOf(sum(group.map(({ count }) => count)), 'resource')} ${what} on ${hosts.size} hosts`]
  })
}

/** The common id of the runs, or a UUID of version 8 made from all ids (RFC 9562, 5.8). */
function mergeIds(all: readonly string[]): string {
  const ids = removeDuplicates(all)
  const [only = ''] = ids
  if (ids.length < 2) return only
  const digest = hash('sha256', JSON.stringify(ids), 'hex')
  const parts = [digest.slice(0, 8), digest.slice(8, 12), `8${digest.slice(13, 16)}`, `a${digest.slice(17, 20)}`]
  return [...parts, digest.slice(20, 32)].join('-')
}

function mergeFrames(runs: readonly Run[]): Run['run'] {
  const frames = runs.map(({ run }) => run)
  return {
    id: mergeIds(frames.map(({ id }) => id)),
    mode: frames.some(({ mode }) => mode === 'fix') ? 'fix' : 'audit',
    // Times in this format sort as texts.
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
  const systems = removeDuplicates(targets.map(({ os }) => os))
  const [only] = systems
  return {
    kind: 'merged',
    hostname: removeDuplicates(targets.map(hostNameOf)).join(', '),
    os: only !== undefined && systems.length === 1 ? only : { id: '', version: '' },
  }
}

function withOrigin({ run, target, policies }: Run): readonly PolicyResult[] {
  const { id: runId, mode, startedAt } = run
  return policies.map((policy) => ({ ...policy, origin: policy.origin ?? { runId, mode, startedAt, target } }))
}

/** The problems of an incomplete run, which merging would hide. */
function incompleteness({ target, exit, run }: Run): readonly Problem[] {
  const isWhole = exit.code !== EXIT.notPerformed && exit.code !== EXIT.nothingEvaluated && !run.interrupted
  if (isWhole) return []
  return exit.reasons.map((reason) => ({ message: `${hostNameOf(target)}: ${reason}`, severity: 'error' }))
}

function addSummaries(summaries: readonly Summary[]): Summary {
  const counts = VERDICTS.map((verdict) => [verdict, sum(summaries.map((summary) => summary[verdict]))] as const)
  // One entry per verdict.
  return { total: sum(summaries.map(({ total }) => total)), ...(Object.fromEntries(counts) as Omit<Summary, 'total'>) }
}

/** Equal waivers of several runs become one, with the sum of accepted drift. */
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
    source: removeDuplicates(baselines.map(({ source }) => source)).join(', '),
    runId: mergeIds(baselines.map(({ runId }) => runId)),
    startedAt: baselines.map(({ startedAt }) => startedAt).toSorted()[0] ?? '',
    counts: fateCounts((fate) => sum(baselines.map(({ counts }) => counts[fate]))),
    resolved: baselines.flatMap(({ resolved }) => resolved),
    incomparable: baselines.flatMap(({ incomparable }) => incomparable),
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}

function removeDuplicates<T>(values: readonly T[]): readonly T[] {
  return [...new Map(values.map((value) => [JSON.stringify(value), value])).values()]
}
