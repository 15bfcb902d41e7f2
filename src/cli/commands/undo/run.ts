import { EXIT } from '../../../core/gate.ts'
import { OperatorError } from '../../../core/operator-error.ts'
import { globMatcher } from '../../../core/selection.ts'
import { undo } from '../../../engine/undo.ts'
import { reportFormats } from '../../../report/index.ts'
import { ownStateDirectories } from '../../../target/local/state-directory.ts'
import { findJournal, readAllJournals } from '../../../undo/journals.ts'
import type { WrittenJournal } from '../../../undo/read-journal.ts'
import { reportProblems } from '../../errors.ts'
import { watchInterruption } from '../../interruption.ts'
import { reportMode } from '../../options/report-mode.ts'
import { deliverReports } from '../../output/deliver.ts'
import type { Io } from '../../output/io.ts'
import { openReports } from '../../output/open-reports.ts'
import { planReports } from '../../output/report-requests.ts'
import type { UndoInvocation } from './options.ts'

/** Takes a fix back, delivers the reports of that and returns the exit code. Throws an `OperatorError` where there is no such fix. */
export async function runUndo({ operands: [wanted], options }: UndoInvocation, io: Io): Promise<number> {
  const journal = findJournal(readAllJournals(ownStateDirectories()).journals, wanted)
  if (typeof journal === 'string') throw new OperatorError(journal)
  const only = options.only.length === 0 ? undefined : resourcesOf(journal, options.only)
  const reports = openReports(
    planReports({ report: options.report, out: undefined }, reportFormats),
    reportMode(options),
  )
  const interruption = watchInterruption((name) => {
    io.say(`driftgate: ${name}: finishing the current step; once more ends at once\n`)
  })
  try {
    const run = await undo(journal, { ...(only && { only }), force: options.force, signal: interruption.signal })
    const isTold = run.exit.code === EXIT.notPerformed
    if (isTold) await reportProblems(run.problems ?? [], io)
    const isComplete = await deliverReports(reports, run, { ...options, isTold, io })
    return isComplete ? run.exit.code : EXIT.notPerformed
  } finally {
    interruption.release()
    for (const { file } of reports) file?.discard()
  }
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
