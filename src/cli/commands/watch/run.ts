import process from 'node:process'
import { EXIT } from '../../../model/gate.ts'
import { type ChildScan, startScan } from '../../../runs/watch/child-scan.ts'
import { scanForever } from '../../../runs/watch/course.ts'
import { WatchLog, type WatchLogSettings } from '../../../runs/watch/watch-log.ts'
import { checkMetricsFile } from '../../../runs/watch/metrics.ts'
import { recallRuns } from '../../../runs/watch/recall.ts'
import { byCron, everyInterval, type Rhythm } from '../../../runs/watch/rhythm.ts'
import { usageError } from '../../errors.ts'
import { watchInterruption } from '../../interruption.ts'
import { durationOf } from '../../options/duration.ts'
import { loadRunExtensions } from '../../options/extension.ts'
import { POLICIES } from '../../options/policies.ts'
import { SCAN_OPTIONS } from '../../options/scan.ts'
import type { Io } from '../../output/io.ts'
import { planReports } from '../../output/report-requests.ts'
import { programOf } from '../../program.ts'
import { scanRequestOf } from '../../scan/request.ts'
import { readsStandardInput, scanWords } from '../../scan/words.ts'
import type { WatchFlags, WatchInvocation } from './index.ts'

/**
 * Scans repeatedly until SIGTERM or SIGINT, and returns the exit code. Throws an `OperatorError` for wrong usage. A
 * failed first scan ends the watch; later failures do not.
 */
export async function runWatch(asked: WatchInvocation, io: Io): Promise<number> {
  const invocation = await withPolicies(asked, io)
  const { options: flags } = invocation
  const rhythm = rhythmOf(flags)
  const argv = await scanCommand(invocation)
  if (flags.metrics !== undefined) checkMetricsFile(flags.metrics)
  const interruption = watchInterruption(io, (name) =>
    io.say(`driftgate: ${name}: stopping; a second signal stops at once\n`),
  )
  try {
    const settings = await journalSettings(flags, interruption.signal)
    const journal = new WatchLog(settings, io, await recallRuns(flags.history, io.env))
    const { signal } = interruption
    const start = (): ChildScan => startScan({ argv, timeoutMs: settings.timeoutMs, signal })
    const course = { rhythm, jitterMs: durationOf(flags.jitter, '0'), start, journal, signal }
    return (await scanForever(course)) ? EXIT.ok : EXIT.notPerformed
  } finally {
    interruption.release()
  }
}

/** Policies of the watch: its own, or those of a CCM agent. */
async function withPolicies(invocation: WatchInvocation, io: Io): Promise<WatchInvocation> {
  const { operands, options } = invocation
  const { 'ccm-config': file } = options
  if (file !== undefined) return (await import('./ccm-agent.ts')).watchOfAgent(invocation, file, io)
  if (operands.length === 0) throw usageError(`missing ${POLICIES.name}: ${POLICIES.summary}, or --ccm-config`, 'watch')
  return invocation
}

function rhythmOf({ every, cron }: WatchFlags): Rhythm {
  if (every !== undefined && cron !== undefined) throw usageError('--every and --cron are mutually exclusive', 'watch')
  if (every !== undefined) return everyInterval(durationOf(every, every))
  if (cron === undefined) throw usageError('missing --every DURATION or --cron EXPR', 'watch')
  try {
    return byCron(cron)
  } catch (error) {
    throw usageError(`--cron "${cron}": ${error instanceof Error ? error.message : String(error)}`, 'watch')
  }
}

/** Command line of each scan: its report comes through a pipe, and it writes report files itself. */
async function scanCommand({
  operands: sources,
  options: flags,
  said,
}: WatchInvocation): Promise<readonly [string, ...string[]]> {
  await scanRequestOf({ operands: sources, options: flags }, 'watch')
  const loudness = flags.verbose ? { verbose: true } : { quiet: true }
  const { verbose: _verbose, quiet: _quiet, ...others } = said
  const report = [...flags.report.filter((wish) => /=(?!-$)/.test(wish)), 'json']
  const words = scanWords({ sources, said: { ...others, report, ...loudness } }, SCAN_OPTIONS, process.cwd())
  if (readsStandardInput(words))
    throw usageError('each scan reads its inputs again, and standard input ("-") can be read only once', 'watch')
  return [...programOf(), ...words]
}

async function journalSettings(flags: WatchFlags, signal: AbortSignal): Promise<WatchLogSettings> {
  const { reportFormats } = await loadRunExtensions(flags)
  const [screen] = planReports(flags, reportFormats).filter(({ path }) => path === undefined)
  const [text] = reportFormats
  if (screen === undefined || text === undefined) throw new Error('no report goes to standard output')
  return {
    text,
    screen: screen.format,
    isScreenAsked: flags.report.some((wish) => !/=(?!-$)/.test(wish)),
    metricsFormat: reportFormats.find(({ name }) => name === 'prometheus'),
    metrics: flags.metrics,
    onChange: flags['on-change'],
    timeoutMs: durationOf(flags['run-timeout'], '1h'),
    verbose: flags.verbose,
    quiet: flags.quiet,
    signal,
  }
}
