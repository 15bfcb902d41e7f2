import { resolve } from 'node:path'
import process from 'node:process'
import { OperatorError } from '../../../model/operator-error.ts'
import { globMatcher } from '../../../model/selection.ts'
import { ownStateDirectories } from '../../../host/live/state-directory.ts'
import { findJournal, latestJournal } from '../../../engine/undo/find-journal.ts'
import { readAllJournals, type StoredJournal } from '../../../engine/undo/journals.ts'
import { readLastFix } from '../../../engine/undo/last-fix.ts'
import type { WrittenJournal } from '../../../engine/undo/read-journal.ts'
import { hasChanged, type Step } from '../../../engine/undo/step.ts'
import { usageError } from '../../errors.ts'
import { stateDirectoryOf } from '../../options/state.ts'
import type { UndoFlags } from './index.ts'

export interface Choice {
  readonly journal: StoredJournal
  /** Ids of the resources; default: all. */
  readonly only?: ReadonlySet<string>
}

/** Finds the fix to undo. Throws an `OperatorError` if there is no match or more than one. */
export function chooseFix(run: string | undefined, options: UndoFlags): Choice {
  const directories = ownStateDirectories(stateDirectoryOf(options))
  const { journals } = readAllJournals(directories)
  const journal = sentenceThrown(journalFor(run, { options, journals, base: directories[0] }))
  const { path, only } = options
  const ids = only.length > 0 ? resourcesOf(journal, only) : undefined
  if (path === undefined) return { journal, ...(ids && { only: ids }) }
  const touching = journal.steps.filter(touchesPath(resolve(path))).map(({ owner }) => owner.id)
  if (touching.length === 0) throw new OperatorError(`the fix ${journal.head.run} did not change ${path}`)
  return { journal, only: new Set(touching.filter((id) => ids?.has(id) !== false)) }
}

interface Known {
  readonly options: UndoFlags
  readonly journals: readonly StoredJournal[]
  /** State directory; undefined if absent. */
  readonly base: string | undefined
}

function journalFor(run: string | undefined, { options, journals, base }: Known): StoredJournal | string {
  const { path, latest } = options
  if (run !== undefined && latest) throw usageError('RUN and --latest are mutually exclusive', 'undo')
  if (run !== undefined) return findJournal(journals, run)
  if (path !== undefined) return journalOfPath(journals, resolve(path))
  const found = latestJournal(journals, base === undefined ? undefined : readLastFix(base))
  if (typeof found === 'string' || latest || process.stdin.isTTY || isOnlyOne(found, journals)) return found
  throw usageError('several fixes: name the RUN, or pass --latest; list them with "driftgate fixes"', 'undo')
}

/** True if a fix is the only one with changes that was not undone. */
function isOnlyOne({ head: { run } }: StoredJournal, journals: readonly StoredJournal[]): boolean {
  const undone = new Set(journals.flatMap(({ head, isWhole }) => (isWhole && head.undoes ? [head.undoes] : [])))
  const standing = journals.filter(
    ({ head, steps }) => head.undoes === undefined && !undone.has(head.run) && hasChanged(steps),
  )
  return standing.length === 1 && standing[0]?.head.run === run
}

/** Latest fix that changed a path. If it was undone already, a sentence says how to revert that. */
function journalOfPath(journals: readonly StoredJournal[], path: string): StoredJournal | string {
  const found = journals.find(({ steps }) => steps.some(touchesPath(path)))
  if (found === undefined) return `no stored fix changed ${path}`
  const { undoes, run } = found.head
  if (undoes === undefined || !found.isWhole) return journals.find(({ head }) => head.run === undoes) ?? found
  return `${path} was last changed by ${run}, which undid the fix ${undoes}; "driftgate undo ${run}" reverts that`
}

/** True if a step changes the path, or replaces one above or below it. */
function touchesPath(path: string): (step: Pick<Step, 'things'>) => boolean {
  return ({ things }) =>
    things.some(
      ({ kind, name }) =>
        name === path || (kind === 'path' && (path.startsWith(`${name}/`) || name.startsWith(`${path}/`))),
    )
}

function sentenceThrown(journal: StoredJournal | string): StoredJournal {
  if (typeof journal === 'string') throw new OperatorError(journal)
  return journal
}

/** Resources that match the selectors. Throws an `OperatorError` for a selector without a match. */
function resourcesOf({ steps, head }: WrittenJournal, selectors: readonly string[]): ReadonlySet<string> {
  const ids = [...new Set(steps.map(({ owner }) => owner.id))]
  const found = selectors.flatMap((selector) => {
    const matching = ids.filter(globMatcher(selector))
    if (matching.length === 0) throw new OperatorError(`the fix ${head.run} changed nothing for "${selector}"`)
    return matching
  })
  return new Set(found)
}
