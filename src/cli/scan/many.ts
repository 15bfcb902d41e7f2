import { setMaxListeners } from 'node:events'
import { escapeForTerminal } from '../../model/escape.ts'
import { EXIT, interruptionOf } from '../../model/gate.ts'
import { OperatorError } from '../../model/operator-error.ts'
import type { Run } from '../../model/run.ts'
import { mergeTargetRuns, type TargetRun } from '../../model/findings/merge-targets.ts'
import { sourceWith } from '../../policy/fetch/files.ts'
import { openOnce } from '../../policy/load.ts'
import type { RemoteJob } from '../../remote/job.ts'
import { parseRemote } from '../../remote/spec.ts'
import { reportProblems } from '../errors.ts'
import { watchInterruption } from '../interruption.ts'
import { loadRunExtensions } from '../options/extension.ts'
import { inputsOf } from '../options/input.ts'
import { reportMode } from '../options/report-mode.ts'
import type { ChosenTarget } from '../options/target.ts'
import { parallelOf } from '../options/targets.ts'
import { deliverReports } from '../output/deliver.ts'
import type { Io, Screen } from '../output/io.ts'
import { type OpenReport, openReports } from '../output/open-reports.ts'
import { planReports } from '../output/report-requests.ts'
import { historyOf, type StoreScan } from './history.ts'
import { withInputs } from './inputs.ts'
import { runOfLook, runToKeep, type TargetScan } from './look.ts'
import { scanTarget } from './look-at.ts'
import type { ScanRequest } from './request.ts'
import type { Means } from './scan-here.ts'
import type { Progress } from '../../engine/progress.ts'
import { fitLine, startLine } from './progress.ts'

/** Progress line of a scan of several targets on a terminal. */
interface ProgressOfMany {
  /** Updates the progress of a target. */
  readonly update: (name: string, progress: Progress) => void
  /** Marks a target as finished. */
  readonly end: (name: string) => void
  readonly stepAside: () => void
  /** Removes the line permanently. */
  readonly finish: () => void
}

interface State {
  readonly done: number
  readonly total: number
  readonly busy: ReadonlyMap<string, Progress>
}

export interface ManyRequest extends ScanRequest {
  readonly targets: readonly [ChosenTarget, ...ChosenTarget[]]
}

/** Scans several targets in parallel, delivers one set of reports for all of them, and returns the exit code. */
export async function performMany(request: ManyRequest, io: Io): Promise<number> {
  const { options, targets, warnings = [] } = request
  if (!options.quiet) await reportProblems(warnings, io)
  const progress = startProgressOfMany(options.quiet ? undefined : io.screen, targets.length)
  const interruption = watchInterruption(io, (name) => {
    progress.finish()
    if (!options.quiet) io.say(`driftgate: ${name}: finishing the current resources; a second signal stops at once\n`)
  })
  // Each target adds a listener.
  setMaxListeners(0, interruption.signal)
  let reports: readonly OpenReport[] = []
  try {
    const store = await historyOf(options, io, 'by-target')
    const { types, reportFormats, facts } = await loadRunExtensions(options, io)
    reports = openReports(planReports(options, reportFormats), reportMode(options))
    const baselineOf = await baselinesOf(options.baseline)
    const job = await jobOfAll(request, io)
    const course = { request, types, facts, baselineOf, job, signal: interruption.signal, progress, store, io }
    const { run, isStored } = await scanAll(course)
    progress.finish()
    const isTold = run.exit.code === EXIT.notPerformed
    if (isTold) await reportProblems(run.problems ?? [], io)
    const lacks = isStored ? [] : ['not every run was saved to the history']
    const isComplete = await deliverReports(reports, run, { ...options, isTold, io, lacks })
    return isComplete ? run.exit.code : EXIT.notPerformed
  } finally {
    progress.finish()
    interruption.release()
    for (const { file } of reports) file?.discard()
  }
}

type Baselines = (target: string) => Means['baseline']

/** Loaded only on demand. */
async function baselinesOf(path: string | undefined): Promise<Baselines> {
  if (path === undefined) return () => undefined
  const { readBaselinesOfTargets } = await import('../../report/stored/baseline.ts')
  return readBaselinesOfTargets(path)
}

/** Built once for all remote targets. */
async function jobOfAll(request: ManyRequest, io: Io): Promise<RemoteJob | undefined> {
  if (request.targets.every(({ spec }) => parseRemote(spec.text) === undefined)) return undefined
  const { scanJob } = await import('./elsewhere.ts')
  return scanJob(request, io)
}

interface Course extends Pick<Means, 'types' | 'facts'> {
  readonly request: ManyRequest
  readonly baselineOf: Baselines
  readonly job: RemoteJob | undefined
  readonly signal: AbortSignal
  readonly progress: ProgressOfMany
  readonly store: StoreScan | undefined
  readonly io: Io
}

interface Scanned {
  readonly run: Run
  readonly isStored: boolean
}

async function scanAll(course: Course): Promise<Scanned> {
  const { request, types, facts, signal, io } = course
  const { sources, options, checksum, texts, isUntrusted: untrusted } = request
  const loading = { ...inputsOf(options, facts), types, signal, untrusted, source: sourceWith(io.stdin) }
  const opened = await openOnce(sources, { ...loading, ...(checksum && { checksum }), ...(texts && { texts }) })
  if ('problem' in opened) throw new OperatorError('the policies cannot be opened', { problems: [opened.problem] })
  try {
    const begin = performance.now()
    const startedAt = new Date().toISOString()
    const { runs, isStored } = await inTurn(course, (target) => lookThrough(target, { ...course, opened }))
    const durationMs = Math.round(performance.now() - begin)
    const merged = markInterrupted(mergeTargetRuns(runs), signal)
    const frame = { ...merged.run, startedAt, finishedAt: new Date().toISOString(), durationMs }
    return { run: { ...merged, run: frame }, isStored }
  } finally {
    await opened.dispose()
  }
}

/** Also records an interruption between two targets. */
function markInterrupted(run: Run, signal: AbortSignal): Run {
  const interruption = interruptionOf(signal)
  if (interruption === undefined || run.run.interrupted) return run
  return { ...run, run: { ...run.run, interrupted: true }, exit: { ...run.exit, code: interruption.code } }
}

interface ScannedTargets {
  readonly runs: readonly [TargetRun, ...TargetRun[]]
  readonly isStored: boolean
}

/** Scans the targets in order with limited parallelism. Each target gets a run, with any result. */
async function inTurn(
  { request, signal, progress, store }: Course,
  look: (target: ChosenTarget) => Promise<TargetScan>,
): Promise<ScannedTargets> {
  const { targets, options } = request
  const [first] = targets
  const mode = options.fix ? 'fix' : 'audit'
  const runs = new Map<ChosenTarget, Pick<TargetRun, 'run' | 'reason'>>()
  const waiting = targets.values()
  let isStored = true
  let failed: string | undefined
  const work = async (): Promise<void> => {
    for (const target of waiting) {
      const why = signal.aborted ? 'the scan was interrupted' : failed && `--fail-fast after the failure of ${failed}`
      const found = why === undefined ? await look(target) : notBegun(why)
      const run = withInputs(runOfLook(found, target, mode), options, target)
      if (run.exit.code !== EXIT.ok && options['fail-fast']) failed ??= target.name
      runs.set(target, { run, ...(found.kind === 'not-seen' ? { reason: found.reason } : {}) })
      progress.end(target.name)
      if (why === undefined) isStored = ((await store?.(runToKeep(found, target, run)))?.isStored ?? true) && isStored
    }
  }
  await Promise.all(Array.from({ length: Math.min(parallelOf(options), targets.length) }, work))
  const all = targets.map((target) => ofTarget(target, runs.get(target)))
  return { runs: [ofTarget(first, runs.get(first)), ...all.slice(1)], isStored }
}

function ofTarget(
  { name, spec, labels }: ChosenTarget,
  found: Pick<TargetRun, 'run' | 'reason'> | undefined,
): TargetRun {
  if (found === undefined) throw new Error(`no result of the target ${name}`)
  return { name, spec: spec.text, kind: spec.kind, labels, ...found }
}

function notBegun(why: string): TargetScan {
  return { kind: 'not-seen', reason: 'not-observable', message: `not scanned: ${why}` }
}

async function lookThrough(
  target: ChosenTarget,
  { request, types, facts, baselineOf, job, opened, signal, progress, io }: Course & Required<Pick<Means, 'opened'>>,
): Promise<TargetScan> {
  const { name } = target
  const say: Io['say'] = (text) => {
    progress.stepAside()
    io.say(text.replaceAll(/^(?:driftgate: )?(?=.)/gm, `${escapeForTerminal(name)}: `))
  }
  const watch: Means['watch'] = {
    signal,
    onProgress: (own) => progress.update(name, own),
    onWait(message) {
      if (!request.options.quiet) say(`${escapeForTerminal(message)}\n`)
    },
  }
  const means = { watch, types, facts, opened, baseline: baselineOf(name) }
  return scanTarget(target, request, { means, job, io: { ...io, say } })
}

/** Progress line for a number of targets; without a screen it does nothing. */
function startProgressOfMany(screen: Screen | undefined, total: number): ProgressOfMany {
  const busy = new Map<string, Progress>()
  let done = 0
  const line = startLine(screen, (columns) => formatProgressOfMany({ done, total, busy }, columns))
  return {
    update(name, progress) {
      busy.set(name, progress)
      line.draw()
    },
    end(name) {
      busy.delete(name)
      done++
      line.draw()
    },
    stepAside: line.stepAside,
    finish: line.finish,
  }
}

/** Formats the line, at most `columns - 1` wide: `12/100 targets: web03 40/300, web04 12/300`. */
function formatProgressOfMany({ done, total, busy }: State, columns: number): string {
  const each = [...busy].map(([name, progress]) => `${escapeForTerminal(name)} ${progress.done}/${progress.total}`)
  return fitLine(`${done}/${total} targets${each.length === 0 ? '' : `: ${each.join(', ')}`}`, columns)
}
