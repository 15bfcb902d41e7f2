import { defined } from '../../../model/defined.ts'
import { EXIT } from '../../../model/gate.ts'
import { OperatorError } from '../../../model/operator-error.ts'
import { toSafeJson } from '../../../model/safe-json.ts'
import { previewOf } from '../../../engine/undo.ts'
import { findJournal } from '../../../engine/undo/find-journal.ts'
import type { StoredJournal } from '../../../engine/undo/journals.ts'
import { countUndone } from '../../../engine/undo/taken-back.ts'
import type { Io } from '../../output/io.ts'
import { undoForPrograms, undoLines, undoSummary } from '../../output/undo-text.ts'

export interface Showing {
  readonly journals: readonly StoredJournal[]
  readonly asJson: boolean
  readonly io: Io
}

/**
 * Shows the changes of a fix and whether it can be undone now. Returns the exit code; throws an `OperatorError` for an
 * unknown fix.
 */
export async function showFix(run: string, { journals, asJson, io }: Showing): Promise<number> {
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
