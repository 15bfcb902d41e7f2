import { join } from 'node:path'
import { EXIT } from '../core/gate.ts'
import { hostNameOf } from '../core/host-name.ts'
import type { Run } from '../core/run.ts'
import { historyDirectory, isStarted } from '../history/directory.ts'
import type { HistoryEntry } from '../history/entry.ts'
import { readHistory } from '../history/read-history.ts'
import { readReport } from '../stored/read-report.ts'

/** Histories are of one machine and few sets of policies; of a directory full of others not everything is read. */
const MOST_RUNS = 20

type Environment = Readonly<Record<string, string | undefined>>

/**
 * The newest stored run of each set of policies that came to its end and evaluated them; none where nothing was stored
 * yet. They are read before a scan may remove them. Throws an `OperatorError` for a history that cannot be read.
 */
export async function recallRuns(history: string | undefined, env: Environment): Promise<readonly Run[]> {
  if (history === undefined) return []
  const directory = historyDirectory(history, env)
  if (!isStarted(directory)) return []
  const newest = new Map<string, HistoryEntry>()
  for (const entry of (await readHistory(directory)).runs) {
    const isUsable = entry.exitCode !== EXIT.notPerformed && !entry.interrupted
    const key = keyOf(entry.host, entry.policies)
    if (isUsable && !newest.has(key)) newest.set(key, entry)
  }
  const entries = [...newest.values()].slice(0, MOST_RUNS)
  return Promise.all(entries.map(({ file }) => readReport(join(directory, file))))
}

/** The run among these that evaluated the same policies on the same machine. */
export function counterpartOf(run: Run, runs: readonly Run[]): Run | undefined {
  const key = keyOf(hostNameOf(run.target), run.policies)
  return runs.find(({ target, policies }) => keyOf(hostNameOf(target), policies) === key)
}

function keyOf(host: string, policies: readonly { readonly id: string }[]): string {
  return JSON.stringify([host, ...policies.map(({ id }) => id).toSorted()])
}
