import { defined } from '../../../model/defined.ts'
import { EXIT } from '../../../model/gate.ts'
import { toSafeJson } from '../../../model/safe-json.ts'
import { previewOf, undo, type UndoOutcome } from '../../../engine/undo.ts'
import { reportFormats } from '../../../report/index.ts'
import { readDeadline, removeDeadline, restMsOf } from '../../../engine/rescue/deadline.ts'
import { removeWatcher } from '../../../engine/rescue/watcher.ts'
import { ownStateDirectories } from '../../../host/live/state-directory.ts'
import { readAllJournals } from '../../../engine/undo/journals.ts'
import { countUndone, type TakenBack } from '../../../engine/undo/taken-back.ts'
import { reportProblems, usageError } from '../../errors.ts'
import { watchInterruption } from '../../interruption.ts'
import { reportMode } from '../../options/report-mode.ts'
import { stateDirectoryOf } from '../../options/state.ts'
import { deliverReports } from '../../output/deliver.ts'
import type { Io } from '../../output/io.ts'
import { openReports } from '../../output/open-reports.ts'
import { planReports } from '../../output/report-requests.ts'
import { undoForPrograms, undoLines, undoSummary, type UndoTense } from '../../output/undo-text.ts'
import { chooseFix, type Choice } from './choose.ts'
import type { UndoFlags, UndoInvocation } from './index.ts'

/**
 * Undoes a fix, delivers the reports and returns the exit code. Throws an `OperatorError` if the fix does not exist.
 */
export async function runUndo({ operands: [run], options }: UndoInvocation, io: Io): Promise<number> {
  if (options.unconfirmed && !(await isDue(run, options, io))) return EXIT.ok
  const choice = chooseFix(run, options)
  if (options['dry-run']) return preview(choice, options, io)
  const reports =
    options.report.length === 0
      ? []
      : openReports(planReports({ report: options.report, out: undefined }, reportFormats), reportMode(options))
  const interruption = watchInterruption(io, (name) => {
    io.say(`driftgate: ${name}: finishing the current step; a second signal stops at once\n`)
  })
  try {
    const { signal } = interruption
    const waitMs = options.unconfirmed ? PATIENCE_MS : undefined
    const { journal, only } = choice
    const stateDirectory = stateDirectoryOf(options)
    const how = { ...defined({ only, waitMs, stateDirectory }), force: options.force, signal }
    const outcome = await undo(journal, how)
    if (options.unconfirmed) await forgetDeadline(journal.head.run, options)
    return await deliver(outcome, { choice, options, reports, io })
  } finally {
    interruption.release()
    for (const { file } of reports) file?.discard()
  }
}

interface Delivery {
  readonly choice: Choice
  readonly options: UndoFlags
  readonly reports: ReturnType<typeof openReports>
  readonly io: Io
}

async function deliver({ run, taken }: UndoOutcome, { choice, options, reports, io }: Delivery): Promise<number> {
  const isTold = run.exit.code === EXIT.notPerformed
  await reportProblems(run.problems ?? [], io)
  if (!isTold && !reports.some(({ file }) => file === undefined)) {
    await print(taken, {
      tense: 'done',
      options,
      io,
      head: headOf(choice, 'done'),
      run: run.run.id,
      code: run.exit.code,
    })
  }
  const isComplete = await deliverReports(reports, run, { ...options, details: true, isTold, io })
  return isComplete ? run.exit.code : EXIT.notPerformed
}

async function preview(choice: Choice, options: UndoFlags, io: Io): Promise<number> {
  const { journal, only } = choice
  const taken = await previewOf(journal, { ...defined({ only }), force: options.force })
  const code = taken.some((result) => countUndone(result) > 0) ? EXIT.fixFailed : EXIT.ok
  await print(taken, { tense: 'planned', options, io, head: headOf(choice, 'planned'), code })
  return code
}

function headOf({ journal: { head } }: Choice, tense: UndoTense): string {
  const below = head.root === undefined ? '' : ` below ${head.root.path}`
  return `${tense === 'done' ? 'Undo' : 'Dry run: undo'} of fix ${head.run} of ${head.startedAt}${below}`
}

interface Printing {
  readonly tense: UndoTense
  readonly head: string
  readonly options: UndoFlags
  readonly io: Io
  /** Id of the undo; absent if it was not performed. */
  readonly run?: string
  readonly code: number
}

async function print(taken: readonly TakenBack[], { tense, head, options, io, run, code }: Printing): Promise<void> {
  const summary = undoSummary(taken, tense) || 'nothing to restore'
  if (options.json) {
    await io.print(
      `${toSafeJson({ ...defined({ run }), summary, exit: code, resources: undoForPrograms(taken) }, 2)}\n`,
    )
    return
  }
  const last = `${summary}, exit ${code}`
  if (options.quiet) return io.print(`${last}\n`)
  const lines = undoLines(taken, tense, await io.paintOutput())
  const reverting = run === undefined ? [] : [`note: "driftgate undo ${run}" reverts this undo`, '']
  await io.print([head, '', ...lines, ...reverting, last].map((line) => `${line}\n`).join(''))
}

/** The fix may still be running at its deadline. */
const PATIENCE_MS = 10 * 60_000

/** Polling interval: the deadline may be moved, and must not be missed by much. */
const LOOK_MS = 500

/**
 * Waits for the deadline of a fix; false as soon as there is nothing to undo: it was confirmed, or has changed nothing.
 */
async function isDue(run: string | undefined, options: UndoFlags, { clock }: Pick<Io, 'clock'>): Promise<boolean> {
  if (run === undefined) throw usageError('--unconfirmed requires RUN', 'undo')
  const directories = ownStateDirectories(stateDirectoryOf(options))
  for (;;) {
    const deadline = directories.flatMap((directory) => readDeadline(directory, run) ?? [])[0]
    if (deadline === undefined) return false
    const restMs = restMsOf(deadline)
    if (restMs <= 0) break
    await clock.pause(Math.min(restMs, LOOK_MS))
  }
  const isKept = readAllJournals(ownStateDirectories(stateDirectoryOf(options))).journals.some(
    ({ head }) => head.run === run,
  )
  // The fix was interrupted before its first change.
  if (!isKept) await forgetDeadline(run, options)
  return isKept
}

async function forgetDeadline(run: string, options: UndoFlags): Promise<void> {
  for (const directory of ownStateDirectories(stateDirectoryOf(options))) removeDeadline(directory, run)
  await removeWatcher(run, { isOwn: true })
}
