import type { Problem } from '../core/problem.ts'
import type { Run } from '../core/run.ts'
import type { Selection } from '../core/selection.ts'
import { notPerformed, runPolicies, type RunOptions } from '../engine/run.ts'
import { loadPolicies } from '../policy/load.ts'
import { resourceTypes } from '../resources/index.ts'
import { createLocalRemediator } from '../target/local/local-remediator.ts'
import { createLocalTarget } from '../target/local/local-target.ts'
import type { ScanOptions } from './commands/scan.ts'
import { deliverReports, type OpenReport, openReports } from './deliver.ts'
import { withFixLock } from './fix-lock.ts'
import type { Io } from './io.ts'
import { watchInterruption } from './interruption.ts'
import { reportProblems } from './problems.ts'
import { startProgress } from './progress.ts'
import { planReports } from './report-requests.ts'

/** A scan as the command line asks for it. */
export interface ScanRequest {
  readonly sources: readonly string[]
  readonly options: ScanOptions
  readonly selection: Selection
}

/** Performs a scan, delivers its reports and returns the exit code. */
export async function performScan(request: ScanRequest, io: Io): Promise<number> {
  const { options } = request
  const progress = startProgress(options.quiet ? undefined : io.screen)
  const interruption = watchInterruption((name) => {
    progress.finish()
    if (!options.quiet) io.say(`driftgate: ${name}: finishing the current resource; once more ends at once\n`)
  })
  let reports: readonly OpenReport[] = []
  try {
    reports = openReports(planReports(options))
    const run = await evaluate(request, { signal: interruption.signal, onProgress: progress.update })
    progress.finish()
    if (run.exit.code === 1) await reportProblems(run.problems ?? [], io)
    return await deliverReports(reports, run, { ...options, io })
  } finally {
    progress.finish()
    interruption.release()
    for (const { file } of reports) file?.discard()
  }
}

type Watch = Pick<RunOptions, 'onProgress'> & { readonly signal: AbortSignal }

async function evaluate(request: ScanRequest, watch: Watch): Promise<Run> {
  const target = createLocalTarget()
  const mode = request.options.fix ? 'fix' : 'audit'
  const loaded = await loadPolicies(request.sources, { types: resourceTypes })
  if (!loaded.ok) return notPerformed(target, mode, loaded.problems)
  const options = {
    target,
    types: resourceTypes,
    selection: request.selection,
    failOn: request.options['fail-on'],
    showDiff: !request.options['no-diff'],
    ...watch,
  }
  if (!request.options.fix) return runPolicies(loaded.value, { ...options, problems: loaded.warnings })
  const outcome = await withFixLock(({ journal, recovered, notRecovered }) =>
    runPolicies(loaded.value, {
      ...options,
      remediator: createLocalRemediator(journal),
      problems: [
        ...loaded.warnings,
        ...recovered.map((path) => warning(`removed ${path}, which an earlier fix that was killed had left`)),
        ...notRecovered.map(warning),
      ],
    }),
  )
  return outcome.kind === 'done'
    ? outcome.value
    : notPerformed(target, mode, [{ message: outcome.message, severity: 'error' }])
}

function warning(message: string): Problem {
  return { message, severity: 'warning' }
}
