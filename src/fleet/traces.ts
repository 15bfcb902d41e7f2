import { heardAt } from './presence.ts'
import type { ReceivedHeartbeat, ReceivedPolicy, ReceivedRun } from './source.ts'

/** Record of a run. */
export interface RunMark {
  readonly runId: string
  /** Time of the last reliable message, in milliseconds since 1970. */
  readonly atMs: number
  readonly isPerformed: boolean
  /** True if the run was partial. */
  readonly isPartial: boolean
  /** Number of requirements, and of the drifted and unknown ones. */
  readonly asked: number
  readonly drifted: number
  readonly undecided: number
}

/** Evaluation of a policy text on a host. */
export interface TextMark {
  readonly policy: string
  readonly sha256: string
  /** Start of the first consecutive run with this text, in milliseconds since 1970. */
  readonly sinceMs: number
}

/** Number of records per host; memory must suffice for thousands of hosts. */
const KEPT = 50

/** Adds a run, newest first. Known or too old runs change nothing. */
export function markedRun(runs: readonly RunMark[], run: ReceivedRun): readonly RunMark[] {
  const { runId, isPerformed, policies } = run
  const atMs = heardAt(run)
  const count = (standing: 'drifted' | 'undecided'): number =>
    policies.reduce(
      (sum, { requirements }) => sum + requirements.filter((each) => each.standing === standing).length,
      0,
    )
  const mark = {
    runId,
    atMs,
    isPerformed,
    isPartial: policies.some(({ isPartial }) => isPartial),
    asked: policies.reduce((sum, { requirements }) => sum + requirements.length, 0),
    drifted: count('drifted'),
    undecided: count('undecided'),
  }
  return withMark(runs, mark)
}

/** Adds a run that found the same as another one. Omitted if that one is no longer kept: it adds no information. */
export function markedBeat(runs: readonly RunMark[], beat: ReceivedHeartbeat): readonly RunMark[] {
  const same = runs.find(({ runId }) => runId === beat.sameRunId)
  return same === undefined ? runs : withMark(runs, { ...same, runId: beat.runId, atMs: heardAt(beat) })
}

function withMark(runs: readonly RunMark[], mark: RunMark): readonly RunMark[] {
  const before = runs.findIndex(({ atMs }) => atMs <= mark.atMs)
  const at = before === -1 ? runs.length : before
  if (at === KEPT || runs.some(({ runId }) => runId === mark.runId)) return runs
  return runs.toSpliced(at, 0, mark).slice(0, KEPT)
}

/** Adds a policy text to which the host changed, newest first. */
export function markedText(
  texts: readonly TextMark[],
  { id, sha256 }: Pick<ReceivedPolicy, 'id' | 'sha256'>,
  sinceMs: number,
): readonly TextMark[] {
  return [{ policy: id, sha256, sinceMs }, ...texts].slice(0, KEPT)
}
