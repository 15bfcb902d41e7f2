import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import process from 'node:process'
import type { OrderedScan } from '../../../fleet/agent/carry-out.ts'
import { beTheAgent } from '../../../fleet/agent/lock.ts'
import { type AgentPlan, serve, serveOnce } from '../../../fleet/agent/serve.ts'
import { EXIT } from '../../../model/gate.ts'
import { VERSION } from '../../../engine/version.ts'
import { agentHome } from '../../../fleet/nats/join.ts'
import { historyDirectory } from '../../../runs/history/directory.ts'
import { reportFormats } from '../../../report/index.ts'
import { agentUnit } from '../../../runs/schedule/agent-unit.ts'
import { writableFolders } from '../../../runs/schedule/writable-folders.ts'
import { startScan } from '../../../runs/watch/child-scan.ts'
import { checkMetricsFile } from '../../../runs/watch/metrics.ts'
import { recallRuns } from '../../../runs/watch/recall.ts'
import { WatchLog, type WatchLogSettings } from '../../../runs/watch/watch-log.ts'
import { escapeForTerminal } from '../../../model/escape.ts'
import { watchInterruption } from '../../interruption.ts'
import { AGENT_DIRECTORY } from '../../options/agent.ts'
import { durationOf } from '../../options/duration.ts'
import { SCAN_OPTIONS } from '../../options/scan.ts'
import type { Io } from '../../output/io.ts'
import { refuseInputs } from '../../output/refuse-inputs.ts'
import { programOf } from '../../program.ts'
import { inputFilesOf } from '../../scan/request.ts'
import { scanWords } from '../../scan/words.ts'
import { type AgentInvocation, HANDED_ON, OPTIONS } from './index.ts'

/**
 * Runs the agent until SIGTERM or SIGINT, or once, and returns the exit code. Throws an `OperatorError` if this host is
 * not enrolled.
 */
export async function runAgent(invocation: AgentInvocation, io: Io): Promise<number> {
  const { options: flags } = invocation
  const directory = resolve(flags.agent ?? AGENT_DIRECTORY)
  const history = spoolOf(flags, io.env)
  if (flags.unit) {
    await io.print(unitOf(invocation, directory))
    return EXIT.ok
  }
  if (flags.metrics !== undefined) {
    refuseInputs([flags.metrics], inputFilesOf(flags))
    checkMetricsFile(flags.metrics)
  }
  const release = await beTheAgent(directory)
  const interruption = watchInterruption(io, (name) =>
    io.say(`driftgate: ${name}: stopping; a second signal stops at once\n`),
  )
  try {
    const { signal } = interruption
    const settings = journalSettings(flags, signal)
    const plan: AgentPlan = {
      directory,
      version: VERSION,
      history,
      splayMs: durationOf(flags.splay, '5m'),
      start: (policies, ordered) =>
        startScan({
          argv: scanCommand(invocation, { policies, directory, history, ordered }),
          timeoutMs: settings.timeoutMs,
          signal,
        }),
      journal: new WatchLog(settings, io, await recallRuns(history, io.env)),
      say: (text) => io.say(`${new Date().toISOString()} ${escapeForTerminal(text)}\n`),
      signal,
    }
    if (flags.once) return (await serveOnce(plan)) ? EXIT.ok : EXIT.notPerformed
    await serve(plan)
    return EXIT.ok
  } finally {
    interruption.release()
    release()
  }
}

type Flags = AgentInvocation['options']

/** Next to the data of a named agent, which may be one of several; otherwise in the state directory. */
function spoolOf({ agent, history }: Flags, env: Io['env']): string {
  if (history !== undefined) return resolve(history)
  return agent === undefined
    ? join(dirname(historyDirectory(undefined, env)), 'agent/history')
    : resolve(agent, 'history')
}

interface Scanned {
  readonly policies: readonly string[]
  readonly directory: string
  readonly history: string
  readonly ordered: OrderedScan | undefined
}

/**
 * Command line of each scan: it stores its run and passes the report to the agent. The audit before an order is not
 * stored.
 */
function scanCommand(
  { options: { keep = '90d' }, said }: AgentInvocation,
  { policies, directory, history, ordered }: Scanned,
): readonly [string, ...string[]] {
  const handedOn = Object.fromEntries(Object.entries(said).filter(([name]) => Object.hasOwn(HANDED_ON, name)))
  const stored = { history, keep, 'sign-key': agentHome(directory).key }
  const kept =
    ordered === undefined
      ? stored
      : 'plan' in ordered
        ? { ...stored, fix: true, plan: ordered.plan }
        : { 'save-plan': ordered.savePlan }
  const own = { ...kept, report: ['json'], quiet: true, 'no-config': true }
  const words = scanWords({ sources: policies, said: { ...handedOn, ...own } }, SCAN_OPTIONS, process.cwd())
  return [...programOf(), ...words]
}

function journalSettings(flags: Flags, signal: AbortSignal): WatchLogSettings {
  const [text] = reportFormats
  if (text === undefined) throw new Error('no text format')
  return {
    text,
    screen: text,
    isScreenAsked: false,
    metricsFormat: reportFormats.find(({ name }) => name === 'prometheus'),
    metrics: flags.metrics,
    onChange: undefined,
    timeoutMs: durationOf(flags['run-timeout'], '1h'),
    verbose: false,
    quiet: true,
    signal,
  }
}

function unitOf({ options: { history, metrics }, said }: AgentInvocation, directory: string): string {
  const { unit: _unit, ...others } = said
  const [, ...words] = scanWords({ sources: [], said: others }, OPTIONS, process.cwd())
  const { writable, usesState } = writableFolders({
    history: history ?? '',
    reports: metrics === undefined ? [] : [metrics],
  })
  const mayRepair = existsSync(agentHome(directory).approvers)
  return agentUnit({ command: [...programOf(), 'agent', ...words], directory, mayRepair, writable, usesState })
}
