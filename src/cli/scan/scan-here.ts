import { defined } from '../../model/defined.ts'
import { escapeForTerminal } from '../../model/escape.ts'
import { EXIT } from '../../model/gate.ts'
import type { Result } from '../../model/problem.ts'
import type { Run } from '../../model/run.ts'
import type { Waiver } from '../../model/waiver.ts'
import { scan, type ScanOptions } from '../../engine/local.ts'
import { notPerformed } from '../../engine/run.ts'
import type { Baseline } from '../../model/findings/baseline.ts'
import type { RunExtensions } from '../options/extension.ts'
import { sourceWith } from '../../policy/fetch/files.ts'
import { type LoadedPolicies, loadPoliciesFrom, type OpenedPolicies } from '../../policy/load.ts'
import { natsOf } from '../../policy/operator-inputs.ts'
import { createLocalTarget } from '../../host/live/local-target.ts'
import type { Target } from '../../host/target.ts'
import { parseKeepUndo } from '../../engine/undo/keep-undo.ts'
import { durationOf } from '../options/duration.ts'
import { inputsOf } from '../options/input.ts'
import { optimizeFor, savingMemory } from '../launcher/optimizing.ts'
import type { ScanFlags } from '../options/scan.ts'
import { stateDirectoryOf } from '../options/state.ts'
import { readWaiverFiles, warnDaysOf } from '../options/waiver.ts'
import type { Io } from '../output/io.ts'
import { performChosen, type Performed } from './choosing.ts'
import { type PlanOfScan, planOfScan } from './plan.ts'
import type { ScanRequest } from './request.ts'
import { performWithRescue } from './rescued.ts'
import type { Watch } from './watch.ts'
import type { Clock } from '../clock.ts'

interface Waiting {
  /** Time limit in milliseconds, from the start of the first audit. */
  readonly limitMs: number
  /** Ends the waiting. */
  readonly signal: AbortSignal
  readonly clock: Clock
  /** Called before each pause with the remaining problems. The caller must drop cached bulk reads. */
  readonly onWait: (message: string) => void
}

/** Pause between audits, as in Goss. */
const PAUSE_MS = 1000

/** Exit codes that may change over time. */
const WORTH_WAITING: ReadonlySet<number> = new Set([EXIT.drift, EXIT.undecided])

/** Context of a scan. */
export interface Means extends Pick<RunExtensions, 'types' | 'facts'> {
  readonly watch: Watch
  readonly baseline: Baseline | undefined
  /** Opened policies, if several targets share them. */
  readonly opened?: OpenedPolicies
}

/** Scans in this process. Throws an `OperatorError` for errors that the operator can correct. */
export function scanHere(request: ScanRequest, { watch, ...means }: Means, io: Io): Promise<Run> {
  return performWithRescue({ options: request.options, io, watch }, (watching) =>
    evaluate(request, { watch: watching, ...means }, io),
  )
}

/** Reads the reference report of a scan. Throws an `OperatorError` if it is unusable. */
export async function readBaseline({ baseline: path }: ScanFlags): Promise<Baseline | undefined> {
  if (path === undefined) return undefined
  // Loaded only on demand.
  const { readBaselineReport } = await import('../../report/stored/baseline.ts')
  return readBaselineReport(path)
}

async function evaluate(request: ScanRequest, means: Means, io: Io): Promise<Run> {
  const { watch, types, facts, opened } = means
  const { sources, options, checksum, texts, isUntrusted } = request
  const { signal } = watch
  const { target = io.machine ?? createLocalTarget(), data: dataLayers } = request
  const plan = await planOfScan(options, target, io)
  const inputs = { ...inputsOf(options, facts), ...defined({ checksum, texts, opened, dataLayers }) }
  const source = savingMemory(sourceWith(io.stdin))
  const loaded = await loadPoliciesFrom(sources, { target, types, signal, source, untrusted: isUntrusted, ...inputs })
  if (loaded.ok) optimizeFor(loaded.value.reduce((sum, { resources }) => sum + resources.length, 0))
  const registry = options.register ? natsOf(inputs) : undefined
  try {
    // An interrupted load is not an error of the policy.
    if (!loaded.ok && signal.aborted) return await scan([], { target, signal })
    const waivers = await readWaivers(options)
    if (loaded.ok && waivers.ok) {
      const accepted = waivers.value === undefined ? {} : { waivers: waivers.value, warnDays: warnDaysOf(options) }
      return await evaluateLoaded(request, { ...means, loaded, accepted, target, plan, registry }, io)
    }
    const problems = [...(loaded.ok ? [] : loaded.problems), ...(waivers.ok ? [] : waivers.problems)]
    return notPerformed(target, options.fix ? 'fix' : 'audit', problems)
  } finally {
    plan?.discard()
    await Promise.all([loaded.dispose(), registry?.close()])
  }
}

function keptWith(options: ScanFlags): Pick<ScanOptions, 'keepUndo' | 'stateDirectory'> {
  return defined({ keepUndo: keepUndoOf(options), stateDirectory: stateDirectoryOf(options) })
}

function keepUndoOf({ 'keep-undo': text }: ScanFlags): ScanOptions['keepUndo'] {
  return text === undefined ? undefined : parseKeepUndo(text)
}

/** Reads the waivers; an empty file differs from the absence of files. */
async function readWaivers(options: ScanFlags): Promise<Result<readonly Waiver[] | undefined>> {
  if (options.waivers.length === 0) return { ok: true, value: undefined, warnings: [] }
  return readWaiverFiles(options.waivers, options)
}

interface Loaded extends Means {
  readonly accepted: Pick<ScanOptions, 'waivers' | 'warnDays'>
  readonly loaded: Extract<LoadedPolicies, { ok: true }>
  readonly target: Target
  readonly plan: PlanOfScan | undefined
  /** Registry of resources; absent without registration. */
  readonly registry: ReturnType<typeof natsOf> | undefined
}

/** Options that control checks and changes. */
function mannerOf(options: ScanFlags): Partial<ScanOptions> {
  return {
    failOn: options['fail-on'],
    showDiff: !options['no-diff'],
    monitorOnly: options['monitor-only'],
    strictHealth: options['strict-health'],
    runCommands: !options['no-commands'],
    allowRemovals: options['allow-removals'],
    writeMountPoints: options['in-place'],
    keepLinks: options['keep-links'],
    cleanEnvironment: options['clean-env'],
    askPrograms: !options['no-ask'],
    askSandboxed: options['ask-sandboxed'],
    urlValues: options['url-values'],
  }
}

async function evaluateLoaded(
  { selection, options, isUntrusted, name }: ScanRequest,
  { loaded, accepted, target, plan, registry, watch, baseline, types }: Loaded,
  io: Io,
): Promise<Run> {
  // Prints pre_message and post_message of the policies, line by line.
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
      ...keptWith(options),
      ...defined({ review, onExpectation: plan?.onExpectation }),
      selection,
      ...mannerOf(options),
      untrusted: isUntrusted,
      problems: loaded.warnings,
      ...defined({ baseline, targetName: name, register: registry?.register }),
      ...accepted,
      // A counting audit has no listener.
      ...(fix === options.fix ? watch : { signal: watch.signal }),
    })
  const audit = (): Promise<Run> =>
    performChosen(options, { plan: plan?.review, io, signal: watch.signal, target, policies: loaded.value }, perform)
  const performed =
    options.wait === undefined
      ? await audit()
      : await auditUntilRight(audit, {
          limitMs: durationOf(options.wait, '0'),
          signal: watch.signal,
          clock: io.clock,
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

/** Audits until nothing is wrong or the time is up; returns the last run. */
export async function auditUntilRight(
  audit: () => Promise<Run>,
  { limitMs, signal, clock, onWait }: Waiting,
): Promise<Run> {
  const start = clock.elapsed()
  for (let count = 1; ; count++) {
    const run = await audit()
    const isOver = clock.elapsed() - start + PAUSE_MS > limitMs
    if (!WORTH_WAITING.has(run.exit.code) || isOver || signal.aborted) return run
    onWait(`audit ${count}: ${run.exit.reasons.join('; ')}; audited again in ${PAUSE_MS / 1000} s`)
    // After an interruption the next audit ends at once and reports it.
    await clock.pause(PAUSE_MS, signal)
  }
}
