import type { Clock } from '../../clock.ts'
import { defined } from '../../../core/defined.ts'
import { EXIT } from '../../../core/gate.ts'
import { OperatorError } from '../../../core/operator-error.ts'
import { globMatcher } from '../../../core/selection.ts'
import { undo } from '../../../engine/undo.ts'
import { reportFormats } from '../../../report/index.ts'
import { readDeadline, removeDeadline } from '../../../rescue/deadline.ts'
import { removeWatcher } from '../../../rescue/watcher.ts'
import { ownStateDirectories } from '../../../target/local/state-directory.ts'
import { findJournal, readAllJournals } from '../../../undo/journals.ts'
import type { WrittenJournal } from '../../../undo/read-journal.ts'
import { reportProblems, usageError } from '../../errors.ts'
import { watchInterruption } from '../../interruption.ts'
import { reportMode } from '../../options/report-mode.ts'
import { deliverReports } from '../../output/deliver.ts'
import type { Io } from '../../output/io.ts'
import { openReports } from '../../output/open-reports.ts'
import { planReports } from '../../output/report-requests.ts'
import type { UndoInvocation } from './options.ts'

/** Takes a fix back, delivers the reports of that and returns the exit code. Throws an `OperatorError` where there is no such fix. */
export async function runUndo({ operands: [wanted], options }: UndoInvocation, io: Io): Promise<number> {
  const isConfirmed = options.unconfirmed && !(await untilDeadline(wanted, io.clock))
  if (isConfirmed) return EXIT.ok
  const journal = findJournal(readAllJournals(ownStateDirectories()).journals, wanted)
  if (typeof journal === 'string') throw new OperatorError(journal)
  const only = options.only.length === 0 ? undefined : resourcesOf(journal, options.only)
  const reports = openReports(
    planReports({ report: options.report, out: undefined }, reportFormats),
    reportMode(options),
  )
  const interruption = watchInterruption(io, (name) => {
    io.say(`driftgate: ${name}: finishing the current step; once more ends at once\n`)
  })
  try {
    const waitMs = options.unconfirmed ? PATIENCE_MS : undefined
    const { signal } = interruption
    const run = await undo(journal, { ...defined({ only, waitMs }), force: options.force, signal })
    if (options.unconfirmed) await forgetDeadline(journal.head.run)
    const isTold = run.exit.code === EXIT.notPerformed
    if (isTold) await reportProblems(run.problems ?? [], io)
    const isComplete = await deliverReports(reports, run, { ...options, isTold, io })
    return isComplete ? run.exit.code : EXIT.notPerformed
  } finally {
    interruption.release()
    for (const { file } of reports) file?.discard()
  }
}

/** The fix may still be going on at its deadline. */
const PATIENCE_MS = 10 * 60_000

/** The deadline may be moved, and is not to be missed by much. */
const LOOK_MS = 500

/** Waits for the deadline of a fix; false as soon as there is none, because somebody has confirmed it. */
async function untilDeadline(run: string | undefined, clock: Clock): Promise<boolean> {
  if (run === undefined) throw usageError('--unconfirmed needs the RUN it is about', 'undo')
  for (;;) {
    const at = ownStateDirectories().flatMap((directory) => readDeadline(directory, run) ?? [])[0]
    if (at === undefined) return false
    const restMs = Date.parse(at) - clock.now()
    if (restMs <= 0) return true
    await clock.pause(Math.min(restMs, LOOK_MS))
  }
}

async function forgetDeadline(run: string): Promise<void> {
  for (const directory of ownStateDirectories()) removeDeadline(directory, run)
  await removeWatcher(run, { isOwn: true })
}

/** The resources that selectors name. Throws an `OperatorError` for one that names none. */
function resourcesOf({ steps, head }: WrittenJournal, selectors: readonly string[]): ReadonlySet<string> {
  const ids = [...new Set(steps.map(({ owner }) => owner.id))]
  const found = selectors.flatMap((selector) => {
    const matching = ids.filter(globMatcher(selector))
    if (matching.length === 0) throw new OperatorError(`the fix ${head.run} changed nothing for "${selector}"`)
    return matching
  })
  return new Set(found)
}
