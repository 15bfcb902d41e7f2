import { lstatSync, unlinkSync } from 'node:fs'
import { defined } from '../../model/defined.ts'
import { errorCode } from '../../host/live/system-error.ts'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Run } from '../../model/run.ts'
import { renderReport } from '../../report/index.ts'
import { OperatorError } from '../../model/operator-error.ts'
import { systemReason } from '../../model/system-reason.ts'
import { prepareDirectory } from './directory.ts'
import { entryOf, type HistoryEntry, versionOf } from './entry.ts'
import { storedName } from './file-name.ts'
import { appendToIndex } from './index-file.ts'
import { outdatedFiles } from './keep.ts'
import type { Keep } from './keep-spec.ts'
import { putFile, removeAbandoned } from './put-file.ts'
import { removeLeftovers } from '../../host/live/temporary-name.ts'
import { type History, readHistory } from './read-history.ts'

const compress = promisify(gzip)

/**
 * Stores a run as its compressed JSON report, in a directory that is made where it is missing, and adds it to the index.
 * Takes away what runs that were killed have left. Throws an `OperatorError` if the run cannot be stored; nothing of it is
 * left then. `onStored` gets the report once it is on the disk.
 */
export async function storeRun(
  directory: string,
  run: Run,
  onStored: (report: string) => void = () => undefined,
): Promise<HistoryEntry> {
  prepareDirectory(directory)
  const report = await renderReport(run, 'json')
  const bytes = await compress(report)
  const name = storedName(run)
  try {
    putFile(directory, name, bytes)
    const entry = entryOf(run, versionOf(name, lstatSync(join(directory, name))))
    tidy(directory, entry)
    onStored(report)
    return entry
  } catch (error) {
    if (error instanceof OperatorError) throw error
    throw new OperatorError(`cannot store the run in ${directory}: ${systemReason(error)}`, { cause: error })
  }
}

/** The run is stored by now, and what fails here is repaired by the next reader or writer of the history. */
function tidy(directory: string, entry: HistoryEntry): void {
  const steps = [
    () => appendToIndex(directory, entry),
    () => removeLeftovers(directory),
    () => removeAbandoned(directory, entry.mtimeMs),
  ]
  for (const step of steps) {
    try {
      step()
    } catch (error) {
      if (!(error instanceof Error && 'syscall' in error)) throw error
    }
  }
}

/** What became of the files that were not to be kept. */
export interface Pruned {
  readonly removed: number
  /** Why the first of those that should be gone is still there. */
  readonly trouble?: string
}

/** Removes what is not to be kept beside the run just stored. Files without the name of a stored run are not part of it. */
export async function pruneRuns(history: History, keep: Keep, stored: HistoryEntry): Promise<Pruned> {
  const { directory } = history
  let removed = 0
  let trouble: string | undefined
  for (const file of outdatedFiles(history, keep, stored)) {
    try {
      unlinkSync(join(directory, file))
      removed++
    } catch (error) {
      // Another scan was faster, or it is a directory, which no scan has made.
      if (HARMLESS.has(errorCode(error))) continue
      trouble ??= `cannot remove ${join(directory, file)}: ${systemReason(error)}`
    }
  }
  // The index forgets them.
  if (removed > 0) await readHistory(directory)
  return { removed, ...defined({ trouble }) }
}

const HARMLESS: ReadonlySet<string | undefined> = new Set(['ENOENT', 'EISDIR'])
