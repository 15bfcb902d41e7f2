import process from 'node:process'
import { OperatorError } from '../../../model/operator-error.ts'
import { escapeForTerminal } from '../../../model/escape.ts'
import { EXIT } from '../../../model/gate.ts'
import { isAddress } from '../../../policy/fetch/remote.ts'
import { changeableByOthers, installSchedule, removeSchedule, showSchedule } from '../../../runs/schedule/install.ts'
import { schedulerHere } from '../../../runs/schedule/places.ts'
import type { SchedulePlan, Scope } from '../../../runs/schedule/plan.ts'
import { nextElapse } from '../../../runs/schedule/tools.ts'
import { writableFolders } from '../../../runs/schedule/writable-folders.ts'
import { usageError } from '../../errors.ts'
import { durationOf } from '../../options/duration.ts'
import { loadRunExtensions } from '../../options/extension.ts'
import { SCAN_OPTIONS } from '../../options/scan.ts'
import type { Io } from '../../output/io.ts'
import { planReports } from '../../output/report-requests.ts'
import { programOf } from '../../program.ts'
import { scanRequestOf } from '../../scan/request.ts'
import { readsStandardInput, scanWords } from '../../scan/words.ts'
import { checkPolicies, targetsOf } from './check.ts'
import { ACTIONS, type ScheduleInvocation } from './index.ts'
import { homeOfAccount, homeOfEnvironment } from '../../../host/live/own-home.ts'

const DEFAULT_NAME = 'scan'

/** Installs, shows or removes a schedule and returns the exit code. Throws an `OperatorError` on failure. */
export async function runSchedule({ operands, options, said }: ScheduleInvocation, io: Io): Promise<number> {
  const [word, ...sources] = operands
  const action = ACTIONS.find((known) => known === word)
  if (action === undefined) throw usageError(`missing action: ${ACTIONS.join(', ')}`, 'schedule')
  await perform({ action, sources, flags: options, said }, io)
  return EXIT.ok
}

interface ScheduleRequest {
  readonly action: (typeof ACTIONS)[number]
  readonly sources: readonly string[]
  readonly flags: ScheduleInvocation['options']
  readonly said: ScheduleInvocation['said']
}

function ownHome(): string {
  const home = homeOfEnvironment() ?? homeOfAccount()
  if (home !== undefined) return home
  throw new OperatorError('the current user has no account, and HOME is not a directory: set HOME')
}

async function perform(request: ScheduleRequest, io: Io): Promise<void> {
  const { action, sources, flags, said } = request
  const scope: Scope = process.geteuid?.() === 0 ? { kind: 'system' } : { kind: 'user', home: ownHome() }
  if (action === 'remove') {
    const needless = sources[0] ?? Object.keys(said).find((name) => name !== 'name')
    if (needless !== undefined) throw usageError(`unexpected "${needless}": remove takes only --name`, 'schedule')
    await removeSchedule({ name: flags.name ?? DEFAULT_NAME, scope }, io)
    return
  }
  const plan = await planSchedule(request, scope)
  const scheduler = flags.scheduler === 'auto' ? schedulerHere() : flags.scheduler
  if (action === 'show') return showSchedule({ plan, scheduler }, io)
  await checkPolicies(request, io)
  const warnings = scope.kind === 'system' ? changeableByOthers([...sources, ...programOf()]) : []
  for (const warning of warnings) io.say(`driftgate: warning: ${escapeForTerminal(warning)}\n`)
  await installSchedule({ plan, scheduler }, io)
}

async function planSchedule({ sources, flags, said }: ScheduleRequest, scope: Scope): Promise<SchedulePlan> {
  if (sources.length === 0) throw usageError('missing policies to scan', 'schedule')
  const calendars = flags['on-calendar']
  await checkCalendars(calendars)
  // Reports now everything that would fail the scheduled scan.
  const targets = targetsOf(await scanRequestOf({ operands: sources, options: flags }, 'schedule'))
  const { reportFormats } = await loadRunExtensions(flags)
  const reports = planReports(flags, reportFormats).flatMap(({ path }) => path ?? [])
  if (flags.fix && flags.sandbox !== 'off') {
    throw usageError(
      '--fix conflicts with the sandbox of a scheduled scan, which is read-only: pass --sandbox off',
      'schedule',
    )
  }
  const words = scanWords({ sources, said }, SCAN_OPTIONS, process.cwd())
  if (readsStandardInput(words)) throw usageError('a schedule cannot read "-" from standard input', 'schedule')
  return {
    name: flags.name ?? DEFAULT_NAME,
    scope,
    calendars,
    randomizedDelayMs: durationOf(flags['randomized-delay'], '5m'),
    runTimeoutMs: durationOf(flags['run-timeout'], '1h'),
    command: [...programOf(), ...words],
    sandbox:
      flags.sandbox === 'off'
        ? { kind: 'off' }
        : { kind: 'read-only', ...writableFolders({ history: flags.history, reports }) },
    usesNetwork:
      words.some((word) => isAddress(word.replace(/^--[a-z-]+=/, ''))) ||
      targets.some(({ spec: { kind } }) => kind === 'ssh' || kind === 'pod'),
  }
}

async function checkCalendars(calendars: readonly string[]): Promise<void> {
  if (calendars.length === 0) {
    throw usageError('missing --on-calendar: when to scan, such as daily or "Mon..Fri 03:00"', 'schedule')
  }
  for (const calendar of calendars) {
    if (!/^[\x20-\x7e]+$/.test(calendar)) {
      throw usageError(`option --on-calendar cannot be ${JSON.stringify(calendar)}`, 'schedule')
    }
    await nextElapse(calendar)
  }
}
