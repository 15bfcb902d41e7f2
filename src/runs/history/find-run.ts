import { OperatorError } from '../../model/operator-error.ts'
import { countOf } from '../../model/count-of.ts'
import type { HistoryEntry } from './entry.ts'
import type { UnusableFile } from './read-history.ts'

const LATEST = /^latest(?:~(\d+))?$/

const CANDIDATES_SHOWN = 5

/** Runs to search. */
export interface Candidates {
  readonly directory: string
  /** Newest first. */
  readonly runs: readonly HistoryEntry[]
  readonly unusable: readonly UnusableFile[]
}

/**
 * Finds a run by its id or an id prefix, its file name, or its age (`latest`, `latest~1`). Throws an `OperatorError`
 * for no match, several matches, or a damaged file.
 */
export function findRun(candidates: Candidates, text: string): HistoryEntry {
  const [latest, back = '0'] = LATEST.exec(text) ?? []
  if (latest !== undefined) return countBack(candidates, text, Number(back))
  const { directory, runs, unusable } = candidates
  const wanted = text.toLowerCase()
  const exact = runs.find(({ runId, file }) => runId.toLowerCase() === wanted || file === text)
  if (exact !== undefined) return exact
  const found = runs.filter(({ runId }) => runId.toLowerCase().startsWith(wanted))
  const [first] = found
  if (first !== undefined && found.every(({ runId }) => runId === first.runId)) return first
  if (first !== undefined) throw ambiguousRunError(text, found)
  const spoilt = unusable.find(({ file }) => file === text || file.includes(`-${wanted.slice(0, 8)}`))
  if (spoilt !== undefined) throw new OperatorError(`cannot use ${directory}/${spoilt.file}: ${spoilt.reason}`)
  throw new OperatorError(`no run in ${directory} matches "${text}"; driftgate history lists them`)
}

function countBack({ directory, runs }: Candidates, text: string, back: number): HistoryEntry {
  const run = runs[back]
  if (run !== undefined) return run
  const count = runs.length === 0 ? 'no run' : `only ${countOf(runs.length, 'run')}`
  throw new OperatorError(`no run ${text}: ${directory} has ${count}`)
}

function ambiguousRunError(text: string, found: readonly HistoryEntry[]): OperatorError {
  const shown = found.slice(0, CANDIDATES_SHOWN).map(({ runId, startedAt }) => `${runId} of ${startedAt}`)
  const more = found.length - shown.length
  const rest = more > 0 ? ` and ${more} more` : ''
  return new OperatorError(`"${text}" could be ${shown.join(', ')}${rest}; use a longer prefix`)
}
