import { padColumns, widestOf } from '../../../model/columns.ts'
import { countOf } from '../../../model/count-of.ts'
import { escapeForTerminal } from '../../../model/escape.ts'
import { EXIT } from '../../../model/gate.ts'
import { toSafeJson } from '../../../model/safe-json.ts'
import { formatSize } from '../../../model/size.ts'
import { ownStateDirectories } from '../../../host/live/state-directory.ts'
import { endOf, listDeadlines } from '../../../engine/rescue/deadline.ts'
import { readAllJournals, type StoredJournal } from '../../../engine/undo/journals.ts'
import { hasChanged } from '../../../engine/undo/step.ts'
import { usageError } from '../../errors.ts'
import { stateDirectoryOf } from '../../options/state.ts'
import { noticeWatchers } from '../../output/notice-watchers.ts'
import type { Io } from '../../output/io.ts'
import type { FixesInvocation } from './index.ts'
import { defined } from '../../../model/defined.ts'
import { OperatorError } from '../../../model/operator-error.ts'
import { previewOf } from '../../../engine/undo.ts'
import { findJournal } from '../../../engine/undo/find-journal.ts'
import { countUndone } from '../../../engine/undo/taken-back.ts'
import { undoForPrograms, undoLines, undoSummary } from '../../output/undo-text.ts'

interface Showing {
  readonly journals: readonly StoredJournal[]
  readonly asJson: boolean
  readonly io: Io
}

/** Lists the fixes that can be undone, newest first, and returns the exit code. */
export async function runFixes({ operands: [word, run], options }: FixesInvocation, io: Io): Promise<number> {
  if (word !== undefined && (word !== 'show' || run === undefined)) {
    throw usageError('"driftgate fixes" lists fixes, "driftgate fixes show RUN" shows one', 'fixes')
  }
  const directories = ownStateDirectories(stateDirectoryOf(options))
  const { journals, problems } = readAllJournals(directories)
  await noticeWatchers(directories, io)
  for (const problem of problems) io.say(`driftgate: skipping ${escapeForTerminal(problem)}\n`)
  if (run !== undefined) return showFix(run, { journals, asJson: options.json, io })
  if (options.json) {
    await io.print(`${toSafeJson(journals.map(forPrograms), 2)}\n`)
    return EXIT.ok
  }
  if (journals.length === 0) io.say('driftgate: no fix can be undone\n')
  const deadlines = new Map(directories.flatMap(listDeadlines).map((deadline) => [deadline.run, endOf(deadline)]))
  const undone = new Map(journals.map(({ head }) => [head.undoes, head.run]))
  const rows = journals.map((journal) =>
    rowOf(journal, { undoneBy: undone.get(journal.head.run), deadline: deadlines.get(journal.head.run) }),
  )
  const widths = [0, 1, 2].map((column) => widestOf(rows.map((row) => row[column] ?? '')))
  await io.print(
    rows
      .map(
        (row) =>
          `${row
            .map((cell, column) => padColumns(cell, widths[column] ?? 0))
            .join('  ')
            .trimEnd()}\n`,
      )
      .join(''),
  )
  return EXIT.ok
}

function forPrograms({ head, steps, bytes, directory }: StoredJournal): unknown {
  const { schema: _, ...frame } = head
  return { ...frame, resources: resourcesOf(steps), isComplete: isComplete(steps), bytes, directory }
}

/** State of a fix. */
interface Fate {
  readonly undoneBy: string | undefined
  readonly deadline: string | undefined
}

function rowOf({ head, steps, bytes }: StoredJournal, { undoneBy, deadline }: Fate): readonly string[] {
  const remarks = [
    ...(head.root === undefined ? [] : [`below ${head.root.path}`]),
    ...(head.undoes === undefined ? [] : [`undid ${head.undoes}`]),
    ...(undoneBy === undefined ? [] : [`undone by ${undoneBy}`]),
    ...(deadline === undefined ? [] : [`reverted at ${deadline} unless it is confirmed`]),
    ...(isComplete(steps) ? [] : ['interrupted during a change']),
    ...(hasChanged(steps) ? [] : ['changed nothing']),
  ]
  const what = `${summaryOf(resourcesOf(steps))}${remarks.map((remark) => `; ${remark}`).join('')}`
  return [head.run, head.startedAt.replace(/\.\d+Z$/, 'Z'), formatSize(bytes), what].map(escapeForTerminal)
}

const RESOURCES_SHOWN = 3

function summaryOf(resources: readonly string[]): string {
  const shown = resources.slice(0, RESOURCES_SHOWN).join(', ')
  const rest = resources.length - RESOURCES_SHOWN
  return rest <= 0 ? shown : `${shown} and ${countOf(rest, 'other resource')}`
}

function resourcesOf(steps: StoredJournal['steps']): readonly string[] {
  return [...new Set(steps.map(({ owner }) => owner.id))]
}

function isComplete(steps: StoredJournal['steps']): boolean {
  return steps.every(({ isOver }) => isOver)
}

/**
 * Shows the changes of a fix and whether it can be undone now. Returns the exit code; throws an `OperatorError` for an
 * unknown fix.
 */
async function showFix(run: string, { journals, asJson, io }: Showing): Promise<number> {
  const journal = findJournal(journals, run)
  if (typeof journal === 'string') throw new OperatorError(journal)
  const { head, bytes } = journal
  const taken = await previewOf(journal)
  const undoneBy = journals.find(({ head: { undoes } }) => undoes === head.run)?.head.run
  const isUndoable = taken.every((result) => countUndone(result) === 0)
  const summary = undoSummary(taken, 'planned')
  if (asJson) {
    const { schema: _, ...frame } = head
    const shown = { ...frame, ...defined({ undoneBy }), bytes, isUndoable, summary, resources: undoForPrograms(taken) }
    await io.print(`${toSafeJson(shown, 2)}\n`)
    return EXIT.ok
  }
  const remarks = [
    ...(head.undoes === undefined ? [] : [`It undid the fix ${head.undoes}.`]),
    ...(undoneBy === undefined ? [] : [`It was undone by ${undoneBy}.`]),
    isUndoable ? `It can be undone: ${summary}.` : `It cannot be undone as a whole: ${summary}.`,
  ]
  const lines = undoLines(taken, 'planned', await io.paintOutput())
  await io.print(
    [`Fix ${head.run} of ${head.startedAt}`, ...remarks, '', ...lines.slice(0, -1)].map((line) => `${line}\n`).join(''),
  )
  return EXIT.ok
}
