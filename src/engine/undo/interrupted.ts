import { lstatSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { replaceFile } from '../../host/live/own-file.ts'
import type { OpenRoot } from '../../host/live/site.ts'
import { provesAbsence } from '../../host/live/system-error.ts'
import { bytesBelow, SIZE_FILE } from './journal.ts'
import { namesIn } from './journals.ts'
import { releaseKept } from './kept.ts'
import { readJournal } from './read-journal.ts'

/**
 * Completes the journals of interrupted fixes. A file that such a fix was about to replace may still have the hard link
 * of its backup, and no fix replaces a file with several links. The caller must hold the fix lock. Throws the system's
 * error.
 */
export function settleInterrupted(directory: string, root: OpenRoot): void {
  for (const name of namesIn(directory)) {
    const path = join(directory, name)
    if (lstatSync(join(path, SIZE_FILE), { throwIfNoEntry: false }) !== undefined) continue
    try {
      settleJournal(path, root)
    } catch (error) {
      // A fix interrupted before its first line has kept nothing.
      if (!provesAbsence(error)) throw error
      rmSync(path, { recursive: true, force: true })
    }
  }
}

function settleJournal(directory: string, root: OpenRoot): void {
  const journal = readJournal(directory)
  if (typeof journal === 'string') return
  const things = journal.steps.flatMap((step) => step.things)
  const places = new Map(things.map(({ kept, name }) => [String(kept), name]))
  for (const number of readdirSync(join(directory, 'kept'))) {
    const kept = join(directory, 'kept', number)
    const place = places.get(number)
    // A backup without a journal line belongs to a step that was not begun.
    if (place === undefined) rmSync(kept, { recursive: true, force: true })
    else releaseKept(kept, place, root)
  }
  replaceFile(join(directory, SIZE_FILE), String(bytesBelow(directory)), { mode: 0o600 })
}
