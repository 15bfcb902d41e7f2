import { join } from 'node:path'
import { replaceFile } from '../../host/live/own-file.ts'
import { baseOfState, ownStateDirectories } from '../../host/live/state-directory.ts'
import { journalsIn } from './journal.ts'
import { namesIn } from './journals.ts'
import { readHead, readIfThere, readJournal } from './read-journal.ts'
import { hasChanged } from './step.ts'

/** The latest fix that came to its end, whether it changed anything or not. */
export interface LastFix {
  readonly run: string
  /** Which of two fixes is the later one; clocks go back. */
  readonly sequence: number
  /** What is left of it to be undone: a journal, nothing because it changed nothing, or nothing because it kept nothing. */
  readonly left: 'journal' | 'no-change' | 'not-kept'
}

const FILE_NAME = 'last-fix'

/** Writes down which fix was the latest, so that an undo never takes an older one for it. Throws the system's error. */
export function noteLastFix(stateDirectory: string, last: LastFix): void {
  replaceFile(join(baseOfState(stateDirectory), FILE_NAME), JSON.stringify(last), { mode: 0o600 })
}

/** The latest fix of a state directory; undefined where none is noted. Throws the system's error. */
export function readLastFix(stateDirectory: string): LastFix | undefined {
  const text = readIfThere(join(baseOfState(stateDirectory), FILE_NAME))
  // Only the owner of the directory can write there, and does with `noteLastFix`.
  return text === undefined ? undefined : (JSON.parse(text) as LastFix)
}

/** What is left to be undone of a run whose journal would lie in this directory. Throws the system's error. */
export function leftOf(directory: string, run: string): LastFix['left'] {
  const path = join(directory, run)
  if (!namesIn(directory).includes(run)) return 'no-change'
  const journal = readJournal(path)
  return typeof journal !== 'string' && journal.isWhole && !hasChanged(journal.steps) ? 'no-change' : 'journal'
}

/** The number of the next fix. Throws the system's error. */
export function nextSequence(stateDirectory: string): number {
  const journals = ownStateDirectories(baseOfState(stateDirectory)).map(journalsIn)
  const written = journals.flatMap((directory) =>
    namesIn(directory).map((name) => readHead(join(directory, name))?.sequence ?? 0),
  )
  return Math.max(readLastFix(stateDirectory)?.sequence ?? 0, ...written) + 1
}
