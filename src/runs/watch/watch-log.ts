import { escapeForTerminal } from '../../model/escape.ts'
import { EXIT } from '../../model/gate.ts'
import type { PolicyResult, Run } from '../../model/run.ts'
import { compareRuns, type Comparison } from '../../model/findings/compare.ts'
import { withoutConfidential } from '../../report/confidential.ts'
import { comparisonJson, comparisonText } from '../../report/comparison/index.ts'
import { PLAIN, type RenderOptions, type ReportFormat } from '../../report/format.ts'
import { OperatorError } from '../../model/operator-error.ts'
import type { ScanOutcome } from './child-scan.ts'
import { NOTHING_SEEN, type ScanFate, type WatchState, writeMetrics } from './metrics.ts'
import { hasChanged, runChangeCommand } from './on-change.ts'
import { counterpartOf } from './recall.ts'

interface ScanCircumstances {
  /** True if the next scan was due before this one ended. */
  readonly isLate: boolean
  /** Start of the next scan; undefined if there are no more. */
  readonly nextAt: Date | undefined
}

/** Format of a line about a scan. */
interface LineStyle {
  /** Text report, whose summary is part of the line. */
  readonly text: ReportFormat
  /** Scan timeout. */
  readonly timeoutMs: number
}

/** Output settings of a watch. */
export interface WatchLogSettings extends LineStyle {
  /** Report on standard output: of each scan if requested, otherwise of the first. */
  readonly screen: ReportFormat
  readonly isScreenAsked: boolean
  readonly metricsFormat: ReportFormat | undefined
  readonly metrics: string | undefined
  /** Command line for the shell. */
  readonly onChange: string | undefined
  readonly verbose: boolean
  readonly quiet: boolean
  readonly signal: AbortSignal
}

/** Output channels of a watch. */
export interface WatchLogChannels {
  /** Prints reports; resolves when they are handed over. */
  readonly print: (text: string) => Promise<void>
  /** True if only the operator can read the output. */
  readonly isOutputPrivate: () => boolean
  readonly paintOutput: () => Promise<RenderOptions['paint']>
  /** Prints a line about each scan. */
  readonly say: (text: string) => void
}

/** Reports, stores and passes on the results of the scans of a watch. */
export class WatchLog {
  readonly #settings: WatchLogSettings
  readonly #channels: WatchLogChannels
  readonly #remembered: readonly Run[]
  /** Last run that evaluated the policies. */
  #newest: Run | undefined
  /** The same run, with the last known state of unreached targets. */
  #before: Run | undefined
  #isFirst = true
  #state: WatchState = NOTHING_SEEN

  /** The first run is compared with the run of the same policies in `remembered`. */
  constructor(settings: WatchLogSettings, channels: WatchLogChannels, remembered: readonly Run[]) {
    this.#settings = settings
    this.#channels = channels
    this.#remembered = remembered
  }

  /** Processes the outcome of a scan; resolves to true if it was performed, even partially. */
  async scanned(outcome: ScanOutcome, occasion: ScanCircumstances): Promise<boolean> {
    const fate = fateOf(outcome)
    const run = evaluatedIn(outcome)
    const known = run && withUnreached(run, this.#before)
    const changed = known && this.#changeTo(known)
    this.#count(fate)
    if (occasion.isLate) this.#count('skipped')
    const now = Date.now() / 1000
    const evaluatedAt = run === undefined ? this.#state.evaluatedAt : now
    // A stopped watch is not a failure.
    const isFine = fate === 'stopped' ? this.#state.isFine : fate === 'done'
    this.#state = { ...this.#state, attemptedAt: now, evaluatedAt, isFine }
    this.#say([await describeOutcome(outcome, this.#settings), ...remarksOn(occasion, changed)].join('; '))
    if (run !== undefined) {
      await this.#show(run, changed)
      this.#newest = run
      this.#before = known
      this.#isFirst = false
    }
    if (changed !== undefined) await this.#passOn(changed)
    await this.#keepMetrics()
    return fate !== 'failed'
  }

  /** Records that no scan was started because the previous one still hangs. */
  async skipped(): Promise<void> {
    this.#count('skipped')
    this.#say('no scan: the previous one was killed and has not exited')
    await this.#keepMetrics()
  }

  #changeTo(run: Run): Comparison | undefined {
    const before = this.#before ?? counterpartOf(run, this.#remembered)
    const comparison = before === undefined ? undefined : compareRuns(before, run)
    return comparison !== undefined && hasChanged(comparison) ? comparison : undefined
  }

  async #show(whole: Run, changed: Comparison | undefined): Promise<void> {
    const { isScreenAsked, screen, verbose, quiet } = this.#settings
    const run = this.#channels.isOutputPrivate() ? whole : withoutConfidential(whole)
    const style = { verbose, paint: await this.#channels.paintOutput() }
    if (isScreenAsked || (!quiet && (this.#isFirst || verbose)))
      await this.#channels.print(await screen.render(run, style))
    else if (!quiet && changed !== undefined) await this.#channels.print(comparisonText(changed, style))
  }

  async #passOn(comparison: Comparison): Promise<void> {
    this.#state = { ...this.#state, changes: this.#state.changes + 1 }
    const { onChange: line, timeoutMs, signal } = this.#settings
    if (line === undefined) return
    const trouble = await runChangeCommand({ line, timeoutMs, signal }, comparisonJson(comparison))
    if (trouble === undefined) return
    this.#state = { ...this.#state, failedCommands: this.#state.failedCommands + 1 }
    this.#say(`the command of --on-change failed: ${trouble}`)
  }

  async #keepMetrics(): Promise<void> {
    const { metrics, metricsFormat: format } = this.#settings
    if (metrics === undefined) return
    try {
      await writeMetrics(metrics, { run: this.#newest, format }, this.#state)
    } catch (error) {
      if (!(error instanceof OperatorError)) throw error
      this.#say(error.message)
    }
  }

  #count(fate: ScanFate): void {
    const { fates } = this.#state
    this.#state = { ...this.#state, fates: { ...fates, [fate]: fates[fate] + 1 } }
  }

  #say(message: string): void {
    this.#channels.say(`${new Date().toISOString()} ${escapeForTerminal(message)}\n`)
  }
}

/** Run of a completed scan that evaluated the policies, comparable with others. */
function evaluatedIn(outcome: ScanOutcome): Run | undefined {
  if (outcome.kind !== 'done') return undefined
  const { run } = outcome
  return run.exit.code === EXIT.notPerformed || run.run.interrupted ? undefined : run
}

function fateOf(outcome: ScanOutcome): ScanFate {
  return outcome.kind === 'done' && outcome.exitCode === EXIT.notPerformed ? 'failed' : outcome.kind
}

/**
 * Adds the last known state of unreached targets to a run: an unreachable target is not a change, and its later state
 * is not new.
 */
export function withUnreached(run: Run, before: Run | undefined): Run {
  const unreached = new Set(run.policies.filter(isUnreached).map(({ target }) => target))
  const kept = (before?.policies ?? []).filter((policy) => unreached.has(policy.target) && !isUnreached(policy))
  return kept.length === 0 ? run : { ...run, policies: [...run.policies, ...kept] }
}

/** True for the result of an unreachable target. */
function isUnreached({ resources }: PolicyResult): boolean {
  return resources.length > 0 && resources.every(({ reason }) => reason === 'unreachable')
}

async function describeOutcome(outcome: ScanOutcome, { text, timeoutMs }: LineStyle): Promise<string> {
  switch (outcome.kind) {
    case 'done':
      return outcome.run.exit.code === EXIT.notPerformed
        ? `the scan could not be performed, exit ${EXIT.notPerformed}`
        : `${await summaryOf(text, outcome.run)}${outcome.exitCode === outcome.run.exit.code ? '' : `; the scan ended with exit ${outcome.exitCode}`}`
    case 'cut':
      return `the scan was killed after ${timeoutMs / 1000} s${doneOf(outcome.run)}`
    case 'stopped':
      return `the scan was stopped${doneOf(outcome.run)}`
    case 'failed':
      return `the scan failed: ${outcome.reason}`
  }
}

async function summaryOf(text: ReportFormat, run: Run): Promise<string> {
  const [line = ''] = (await (text.summarize ?? text.render)(run, PLAIN)).split('\n')
  return `${line} (${(run.run.durationMs / 1000).toFixed(1)} s)`
}

function doneOf(run: Run | undefined): string {
  return run === undefined ? '' : `; resources evaluated: ${run.summary.total}`
}

/** Further remarks on a scan; `changed` is the difference from the previous one. */
function remarksOn({ isLate, nextAt }: ScanCircumstances, changed: Comparison | undefined): readonly string[] {
  return [
    ...(changed === undefined ? [] : [`changed: ${changesIn(changed)}`]),
    ...(isLate ? ['the next scan was due before this one ended, and is skipped'] : []),
    ...(nextAt === undefined ? [] : [`next at ${nextAt.toISOString()}`]),
  ]
}

function changesIn({ counts, resources }: Comparison): string {
  const told = (['new', 'changed', 'resolved', 'incomparable'] as const).flatMap((fate) =>
    counts[fate] === 0 ? [] : `${counts[fate]} ${fate}`,
  )
  return told.length === 0 ? `${resources.length} verdicts` : told.join(', ')
}
