import { escapeForTerminal } from '../../model/escape.ts'
import { EXIT } from '../../model/gate.ts'
import { OperatorError } from '../../model/operator-error.ts'
import type { Run } from '../../model/run.ts'
import { notPerformed } from '../../engine/run.ts'
import type { Stored } from '../../runs/history/store-scan.ts'
import { createLocalTarget } from '../../host/live/local-target.ts'
import { reportProblems } from '../errors.ts'
import { watchInterruption } from '../interruption.ts'
import { loadRunExtensions } from '../options/extension.ts'
import { reportMode } from '../options/report-mode.ts'
import { deliverReports } from '../output/deliver.ts'
import type { Io } from '../output/io.ts'
import { type LiveReport, startLiveReports, tellAll } from '../output/live-reports.ts'
import { type OpenReport, openReports } from '../output/open-reports.ts'
import { planReports } from '../output/report-requests.ts'
import { historyOf } from './history.ts'
import { withInputs } from './inputs.ts'
import { startProgress } from './progress.ts'
import type { ScanRequest } from './request.ts'
import { readBaseline, scanHere } from './scan-here.ts'
import type { Watch } from './watch.ts'

/** Performs a scan, delivers its reports and returns the exit code. */
export async function performScan(request: ScanRequest, io: Io): Promise<number> {
  const { options } = request
  // A progress line would interfere with prompts.
  const progress = startProgress(options.quiet || options.ask ? undefined : io.screen)
  const interruption = watchInterruption(io, (name) => {
    progress.finish()
    if (!options.quiet) io.say(`driftgate: ${name}: finishing the current resource; a second signal stops at once\n`)
  })
  let reports: readonly OpenReport[] = []
  const store = await historyOf(options, io)
  let stored: Stored | undefined
  try {
    const extensions = await loadRunExtensions(options, io)
    reports = openReports(planReports(options, extensions.reportFormats), reportMode(options))
    const means = { ...extensions, baseline: request.elsewhere ? undefined : await readBaseline(options) }
    // Only the last of several audits is reported, so live reports are impossible.
    const isRepeated = options.wait !== undefined || options['max-changes'] !== undefined
    const live = await startLiveReports(isRepeated ? [] : reports, io, interruption.signal)
    const watch: Watch = {
      signal: interruption.signal,
      ...reportCallbacks(live),
      onProgress: progress.update,
      onDownload: progress.download,
      onWait(message: string) {
        progress.stepAside()
        if (!options.quiet) io.say(`driftgate: ${escapeForTerminal(message)}\n`)
      },
    }
    const { run: done, kept } = (await request.elsewhere?.perform(watch)) ?? {
      run: await scanHere(request, { watch, ...means }, io),
    }
    const run = withInputs(done, options)
    progress.finish()
    const isTold = run.exit.code === EXIT.notPerformed
    if (isTold) await reportProblems(run.problems ?? [], io)
    stored = await store?.(kept ?? run)
    const lacks = stored?.isStored === false ? ['the run was not saved to the history'] : []
    const isComplete = await deliverReports(reports, run, { ...options, isTold, io, live, trend: stored?.trend, lacks })
    return isComplete ? run.exit.code : EXIT.notPerformed
  } catch (error) {
    // The history must contain scans that could not start.
    if (stored === undefined && error instanceof OperatorError) await store?.(notStarted(request, error))
    throw error
  } finally {
    progress.finish()
    interruption.release()
    for (const { file } of reports) file?.discard()
  }
}

function notStarted(
  { options: { fix }, elsewhere, target = createLocalTarget() }: ScanRequest,
  { message, problems }: OperatorError,
): Run {
  const all = problems.length > 0 ? problems : [{ message, severity: 'error' } as const]
  return notPerformed(elsewhere?.scanned ?? target, fix ? 'fix' : 'audit', all)
}

/** Callbacks for live reports, only if there are any. */
function reportCallbacks(live: ReadonlyMap<OpenReport, LiveReport>): Pick<Watch, 'onStart' | 'onResult'> {
  if (live.size === 0) return {}
  return {
    onStart: (start) => tellAll(live.values(), (report) => report.start(start)),
    onResult: (policy, result) => tellAll(live.values(), (report) => report.resource(policy, result)),
  }
}
