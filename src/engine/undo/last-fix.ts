import { join } from 'node:path'
import { replaceFile } from '../../host/live/own-file.ts'
import { baseOfState, ownStateDirectories } from '../../host/live/state-directory.ts'
import { journalsIn } from './journal.ts'
import { namesIn } from './journals.ts'
import { readHead, readIfThere, readJournal } from './read-journal.ts'
import { hasChanged } from './step.ts'

/** The last completed fix, with or without changes. */
export interface LastFix {
  readonly run: string
  /** Order of fixes, since clocks may go back. */
  readonly sequence: number
  /** Undo data of the fix: a journal, none because nothing changed, or none because nothing was kept. */
  readonly left: 'journal' | 'no-change' | 'not-kept'
}

const FILE_NAME = 'last-fix'

/** Records the last fix, so that an undo never picks an older one. Throws the system's error. */
export function noteLastFix(stateDirectory: string, last: LastFix): void {
  replaceFile(join(baseOfState(stateDirectory), FILE_NAME), JSON.stringify(last), { mode: 0o600 })
}

/** Last fix of a state directory; undefined if unknown. Throws the system's error. */
export function readLastFix(stateDirectory: string): LastFix | undefined {
  const text = readIfThere(join(baseOfState(stateDirectory), FILE_NAME))
  // Only `noteLastFix` writes to this private directory.
  return text === undefined ? undefined : (JSON.parse(text) as LastFix)
}

/** Undo data left by a run whose journal would be in this directory. Throws the system's error. */
export function leftOf(directory: string, run: string): LastFix['left'] {
  const path = join(directory, run)
  if (!namesIn(directory).includes(run)) return 'no-change'
  const journal = readJournal(path)
  return typeof journal !== 'string' && journal.isWhole && !hasChanged(journal.steps) ? 'no-change' : 'journal'
}

/** Sequence number of the next fix. Throws the system's error. */
export function nextSequence(stateDirectory: string): number {
  const journals = ownStateDirectories(baseOfState(stateDirectory)).map(journalsIn)
  const written = journals.flatMap((directory) =>
    namesIn(directory).map((name) => readHead(join(directory, name))?.sequence ?? 0),
  )
  return Math.max(readLastFix(stateDirectory)?.sequence ?? 0, ...written) + 1
}
