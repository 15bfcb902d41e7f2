import { heardAt } from './presence.ts'
import type { ReceivedHeartbeat, ReceivedPolicy, ReceivedRun } from './source.ts'

/** What is kept of each run of a host. */
export interface RunMark {
  readonly runId: string
  /** When it was heard of for certain, in milliseconds since 1970. */
  readonly atMs: number
  readonly isPerformed: boolean
  /** Whether it left something out. */
  readonly isPartial: boolean
  /** How many controls, and resources that support none, it looked at, and how many of them stood so. */
  readonly asked: number
  readonly drifted: number
  readonly undecided: number
}

/** That a host evaluates a text of a policy. */
export interface TextMark {
  readonly policy: string
  readonly sha256: string
  /** The first of the runs in a row that have it, in milliseconds since 1970. */
  readonly sinceMs: number
}

/** How many of each are kept for a host: what thousands of hosts need must fit into memory. */
const KEPT = 50

/** The runs with one more, the newest first. One that is read again, or too old to be kept, changes nothing. */
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

/** The runs with one more that found what another one did. Where that one is kept no longer, it is left out: it says nothing new. */
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

/** The texts with the one a host has gone over to, the newest first. */
export function markedText(
  texts: readonly TextMark[],
  { id, sha256 }: Pick<ReceivedPolicy, 'id' | 'sha256'>,
  sinceMs: number,
): readonly TextMark[] {
  return [{ policy: id, sha256, sinceMs }, ...texts].slice(0, KEPT)
}
