import { join } from 'node:path'
import { hostNameOf } from '../../model/host-name.ts'
import type { Run, RunTarget } from '../../model/run.ts'
import { historyDirectory, isStarted } from '../history/directory.ts'
import type { HistoryEntry } from '../history/entry.ts'
import { readHistory } from '../history/read-history.ts'
import { isNotPerformed, isSameSet, seriesOf } from '../history/series.ts'
import { readReport } from '../../report/stored/read-report.ts'

/** A history usually has one machine and few sets of policies; this limits the reads of a mixed one. */
const MOST_RUNS = 20

type Environment = Readonly<Record<string, string | undefined>>

/**
 * The newest completed run of each set of policies; empty without stored runs. Read before a scan can remove them.
 * Throws an `OperatorError` for an unreadable history.
 */
export async function recallRuns(history: string | undefined, env: Environment): Promise<readonly Run[]> {
  if (history === undefined) return []
  const directory = historyDirectory(history, env)
  if (!isStarted(directory)) return []
  const { runs } = await readHistory(directory)
  const entries = seriesOf(runs).flatMap((series) => series.runs.findLast(isUsable) ?? [])
  return Promise.all(entries.slice(0, MOST_RUNS).map(({ file }) => readReport(join(directory, file))))
}

function isUsable(entry: HistoryEntry): boolean {
  return !isNotPerformed(entry) && !entry.interrupted
}

/** Run with the same policies on the same machine. */
export function counterpartOf(run: Run, runs: readonly Run[]): Run | undefined {
  return runs.find((each) => isSameMachine(each.target, run.target) && isSameSet(each, run))
}

/** A report without a machine id matches any machine with the same name. */
function isSameMachine(left: RunTarget, right: RunTarget): boolean {
  const isOther = left.machine !== undefined && right.machine !== undefined && left.machine !== right.machine
  return !isOther && hostNameOf(left) === hostNameOf(right)
}
