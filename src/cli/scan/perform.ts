import { defined } from '../../core/defined.ts'
import { escapeForTerminal } from '../../core/escape.ts'
import { EXIT } from '../../core/gate.ts'
import { OperatorError } from '../../core/operator-error.ts'
import type { Result } from '../../core/problem.ts'
import type { Run } from '../../core/run.ts'
import type { Waiver } from '../../core/waiver.ts'
import { scan, type ScanOptions } from '../../engine/local.ts'
import { notPerformed } from '../../engine/run.ts'
import type { Baseline } from '../../findings/baseline.ts'
import { parseKeep } from '../../history/keep.ts'
import type { Stored } from '../../history/store-scan.ts'
import type { Extensions } from '../../plugin/check-plugin.ts'
import { type LoadedPolicies, loadPolicy } from '../../policy/load.ts'
import { createLocalTarget } from '../../target/local/local-target.ts'
import type { Target } from '../../target/target.ts'
import { parseKeepUndo } from '../../undo/keep-undo.ts'
import { reportProblems, usageError } from '../errors.ts'
import { watchInterruption } from '../interruption.ts'
import { durationOf } from '../options/duration.ts'
import { loadExtensions } from '../options/extension.ts'
import { inputsOf } from '../options/input.ts'
import { reportMode } from '../options/report-mode.ts'
import type { ScanFlags } from '../options/scan.ts'
import { readWaiverFiles, warnDaysOf } from '../options/waiver.ts'
import { deliverReports } from '../output/deliver.ts'
import type { Io } from '../output/io.ts'
import { type LiveReport, startLiveReports, tellAll } from '../output/live-reports.ts'
import { type OpenReport, openReports } from '../output/open-reports.ts'
import { planReports } from '../output/report-requests.ts'
import { type Performed, performChosen } from './choosing.ts'
import { withInputs } from './inputs.ts'
import { type PlanOfScan, planOfScan } from './plan.ts'
import { startProgress } from './progress.ts'
import type { ScanRequest } from './request.ts'
import { rescued } from './rescued.ts'
import { auditUntilRight } from './wait.ts'

/** Performs a scan, delivers its reports and returns the exit code. */
export async function performScan(request: ScanRequest, io: Io): Promise<number> {
  const { options } = request
  // A line that is rewritten would be in the way of questions.
  const progress = startProgress(options.quiet || options.ask ? undefined : io.screen)
  const interruption = watchInterruption((name) => {
    progress.finish()
    if (!options.quiet) io.say(`driftgate: ${name}: finishing the current resource; once more ends at once\n`)
  })
  let reports: readonly OpenReport[] = []
  const store = await historyOf(options, io)
  let stored: Stored | undefined
  try {
    const extensions = await loadExtensions(options)
    reports = openReports(planReports(options, extensions.reportFormats), reportMode(options))
    const baseline = await readBaseline(options.baseline)
    // Of several scans only the last is reported, so nothing can be told before it is over.
    const isRepeated = options.wait !== undefined || options['max-changes'] !== undefined
    const live = await startLiveReports(isRepeated ? [] : reports, io, interruption.signal)
    const watch: Watch = {
      signal: interruption.signal,
      ...tellers(live),
      onProgress: progress.update,
      onDownload: progress.download,
      onWait(message: string) {
        progress.stepAside()
        if (!options.quiet) io.say(`driftgate: ${escapeForTerminal(message)}\n`)
      },
    }
    const done = await rescued({ options, io, watch }, (watching) =>
      evaluate(request, { watch: watching, baseline, types: extensions.types }, io),
    )
    const run = withInputs(done, options)
    progress.finish()
    const isTold = run.exit.code === EXIT.notPerformed
    if (isTold) await reportProblems(run.problems ?? [], io)
    stored = await store?.(run)
    const isComplete = await deliverReports(reports, run, { ...options, isTold, io, live, trend: stored?.trend })
    return isComplete && stored?.isStored !== false ? run.exit.code : EXIT.notPerformed
  } catch (error) {
    // Whoever reads the history has to see a scan that could not even start.
    if (stored === undefined && error instanceof OperatorError) await store?.(notStarted(request, error))
    throw error
  } finally {
    progress.finish()
    interruption.release()
    for (const { file } of reports) file?.discard()
  }
}

/** Loaded only where it is asked for: a plain scan reads no report. */
async function readBaseline(path: string | undefined): Promise<Baseline | undefined> {
  if (path === undefined) return undefined
  const { readBaselineReport } = await import('../../stored/baseline.ts')
  return readBaselineReport(path)
}

/** The same: a plain scan stores nothing. Throws an `OperatorError` for wrong usage. */
async function historyOf({ history, keep, quiet }: ScanFlags, io: Io): Promise<StoreScan | undefined> {
  if (history === undefined && keep !== undefined) {
    throw usageError('--keep says which runs stay in the history; it needs --history', 'scan')
  }
  if (history === undefined) return undefined
  const [{ historyDirectory }, { storeScan }] = await Promise.all([
    import('../../history/directory.ts'),
    import('../../history/store-scan.ts'),
  ])
  const warn = (message: string): void => io.say(`driftgate: ${escapeForTerminal(message)}\n`)
  const storing = {
    directory: historyDirectory(history, io.env),
    keep: keep === undefined ? undefined : parseKeep(keep),
    warn,
    inform: quiet ? () => undefined : warn,
  }
  return (run) => storeScan(run, storing)
}

/** Stores the run of a scan, or says on standard error why it could not. */
type StoreScan = (run: Run) => Promise<Stored>

function notStarted(
  { options: { fix }, target = createLocalTarget() }: ScanRequest,
  { message, problems }: OperatorError,
): Run {
  const all = problems.length > 0 ? problems : [{ message, severity: 'error' } as const]
  return notPerformed(target, fix ? 'fix' : 'audit', all)
}

/** Loaded with what a scan tells on the way only where a report wants to know. */
function tellers(live: ReadonlyMap<OpenReport, LiveReport>): Pick<ScanOptions, 'onStart' | 'onResult'> {
  if (live.size === 0) return {}
  return {
    onStart: (start) => tellAll(live.values(), (report) => report.start(start)),
    onResult: (policy, result) => tellAll(live.values(), (report) => report.resource(policy, result)),
  }
}

type Watch = Pick<ScanOptions, 'onStart' | 'onResult' | 'onProgress' | 'onDownload' | 'onWait'> & {
  readonly signal: AbortSignal
}

interface Means {
  readonly watch: Watch
  readonly baseline: Baseline | undefined
  readonly types: Extensions['types']
}

async function evaluate(request: ScanRequest, means: Means, io: Io): Promise<Run> {
  const { watch, types } = means
  const { sources, options, checksum, texts, isUntrusted } = request
  const { signal } = watch
  const { target = createLocalTarget() } = request
  const plan = await planOfScan(options, target, io)
  const inputs = { ...inputsOf(options), ...(checksum && { checksum }), ...(texts && { texts }) }
  const loaded = await loadPolicy(sources, { target, types, signal, untrusted: isUntrusted, ...inputs })
  try {
    // What an interruption kept from being loaded is no mistake of anybody.
    if (!loaded.ok && signal.aborted) return await scan([], { target, signal })
    const waivers = await readWaivers(options)
    if (loaded.ok && waivers.ok) {
      const accepted = waivers.value === undefined ? {} : { waivers: waivers.value, warnDays: warnDaysOf(options) }
      return await evaluateLoaded(request, { ...means, loaded, accepted, target, plan }, io)
    }
    const problems = [...(loaded.ok ? [] : loaded.problems), ...(waivers.ok ? [] : waivers.problems)]
    return notPerformed(target, options.fix ? 'fix' : 'audit', problems)
  } finally {
    plan?.discard()
    await loaded.dispose()
  }
}

function keepUndoOf({ 'keep-undo': text }: ScanFlags): ScanOptions['keepUndo'] {
  return text === undefined ? undefined : parseKeepUndo(text)
}

/** The waivers of the scan, if any files of them are named; an empty file is not the same as none. */
async function readWaivers(options: ScanFlags): Promise<Result<readonly Waiver[] | undefined>> {
  if (options.waivers.length === 0) return { ok: true, value: undefined, warnings: [] }
  return readWaiverFiles(options.waivers, options)
}

interface Loaded extends Means {
  readonly accepted: Pick<ScanOptions, 'waivers' | 'warnDays'>
  readonly loaded: Extract<LoadedPolicies, { ok: true }>
  readonly target: Target
  readonly plan: PlanOfScan | undefined
}

async function evaluateLoaded(
  { selection, options, isUntrusted }: ScanRequest,
  { loaded, accepted, target, plan, watch, baseline, types }: Loaded,
  io: Io,
): Promise<Run> {
  // What the policies want to say, their pre_message and post_message, a line at a time.
  const sayAll = (texts: readonly (string | undefined)[]): void => {
    if (options.quiet) return
    const lines = texts.flatMap((text) => text?.trimEnd().split('\n') ?? [])
    io.say(lines.map((line) => `${escapeForTerminal(line)}\n`).join(''))
  }
  sayAll(loaded.value.map(({ preMessage }) => preMessage))
  const perform: Performed = ({ fix, review }) =>
    scan(loaded.value, {
      target,
      types,
      fix,
      ...defined({ keepUndo: keepUndoOf(options), review, onExpectation: plan?.onExpectation }),
      selection,
      failOn: options['fail-on'],
      showDiff: !options['no-diff'],
      monitorOnly: options['monitor-only'],
      strictHealth: options['strict-health'],
      runCommands: !options['no-commands'],
      urlValues: options['url-values'],
      untrusted: isUntrusted,
      problems: loaded.warnings,
      ...defined({ baseline }),
      ...accepted,
      // Of an audit that only counts nobody is told.
      ...(fix === options.fix ? watch : { signal: watch.signal }),
    })
  const audit = (): Promise<Run> =>
    performChosen(options, { plan: plan?.review, io, signal: watch.signal, target }, perform)
  const performed =
    options.wait === undefined
      ? await audit()
      : await auditUntilRight(audit, {
          limitMs: durationOf(options.wait, '0'),
          signal: watch.signal,
          onWait(message) {
            watch.onWait?.(message)
            target.forget()
          },
        })
  const auditAgain = (): Promise<Run> => {
    target.forget()
    return perform({ fix: false, review: undefined })
  }
  const run = (await plan?.finish(performed, auditAgain)) ?? performed
  const { error, 'fix-failed': failed, blocked } = run.summary
  if (run.exit.code !== EXIT.notPerformed && error + failed + blocked === 0) {
    sayAll(loaded.value.map(({ postMessage }) => postMessage))
  }
  return run
}
