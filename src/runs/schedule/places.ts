import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { markerOf, type ScheduleFile, type SchedulePlan, type Scope } from './plan.ts'
import { systemdUnits, unitName } from './systemd-units.ts'
import { OperatorError } from '../../model/operator-error.ts'
import { cronFields, type CronTimes, translateCalendar } from './calendar.ts'

/** cron's default PATH lacks the sbin directories with the tools for packages and services. */
const SEARCH_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/** cron truncates longer commands. @see crontab(5): 998 characters, less in other implementations */
const LONGEST_COMMAND = 990

const KILL_AFTER_SECONDS = 60

interface CronEntry {
  readonly fields: string
  readonly command: string
}

export type Scheduler = 'systemd' | 'cron'

type Environment = Readonly<Record<string, string | undefined>>

/** What is there. @see sd_booted(3) */
export function isSystemdRunning(): boolean {
  return existsSync('/run/systemd/system')
}

/** Default scheduler of this machine. */
export function schedulerHere(): Scheduler {
  return isSystemdRunning() ? 'systemd' : 'cron'
}

/** Files of a schedule; empty for a user's cron, whose entries only a command can change. */
export function filesOf(plan: SchedulePlan, scheduler: Scheduler, env: Environment): readonly ScheduleFile[] {
  if (scheduler === 'systemd') return systemdUnits(plan, systemdDirectory(plan.scope, env))
  return plan.scope.kind === 'system' ? [cronFile(plan, CRON_DIRECTORY, hostname())] : []
}

/** Lines of a schedule for a user's crontab. */
export function linesForCrontab(plan: SchedulePlan): readonly string[] {
  return crontabLines(plan, hostname())
}

/** Possible paths of a schedule's files, by scheduler. */
export function pathsOf(name: string, scope: Scope, env: Environment): Readonly<Record<Scheduler, readonly string[]>> {
  const unit = unitName(name)
  const systemd = systemdDirectory(scope, env)
  return {
    systemd: [join(systemd, `${unit}.timer`), join(systemd, `${unit}.service`)],
    cron: scope.kind === 'system' ? [join(CRON_DIRECTORY, unit)] : [],
  }
}

const CRON_DIRECTORY = '/etc/cron.d'

/** @see systemd.unit(5), section "Unit File Load Path" */
function systemdDirectory(scope: Scope, env: Environment): string {
  if (scope.kind === 'system') return '/etc/systemd/system'
  const configHome = env['XDG_CONFIG_HOME']
  return join(configHome?.startsWith('/') === true ? configHome : join(scope.home, '.config'), 'systemd/user')
}

/**
 * The cron file of a schedule. Throws an `OperatorError` if cron cannot express it. `machine` determines the share of
 * the random delay.
 */
export function cronFile(plan: SchedulePlan, directory: string, machine: string): ScheduleFile {
  const entries = cronEntries(plan, machine).map(({ fields, command }) => `${fields} root ${command}`)
  return {
    path: join(directory, unitName(plan.name)),
    text: [markerOf(plan.name), ...entries].map((line) => `${line}\n`).join(''),
  }
}

/** Lines for a user's crontab, which has no user field. Throws as `cronFile` does. */
export function crontabLines(plan: SchedulePlan, machine: string): readonly string[] {
  return cronEntries(plan, machine).map(({ fields, command }) => `${fields} ${command}`)
}

function cronEntries(plan: SchedulePlan, machine: string): readonly CronEntry[] {
  const command = commandOf(plan, machine)
  return plan.calendars.map((calendar) => ({ fields: cronFields(timesOf(calendar)), command }))
}

function timesOf(calendar: string): CronTimes {
  const translation = translateCalendar(calendar)
  if (translation.kind === 'times') return translation.times
  throw new OperatorError(`cron cannot run at "${calendar}": ${translation.reason}`)
}

/** Adds the delay, a lock against concurrent runs, and a timeout. */
function commandOf({ name, scope, command, runTimeoutMs, randomizedDelayMs }: SchedulePlan, machine: string): string {
  const delaySeconds = shareOf(`${machine} ${name}`, Math.floor(randomizedDelayMs / 1000))
  const lock = scope.kind === 'system' ? `/run/${unitName(name)}.lock` : join(scope.home, `.${unitName(name)}.lock`)
  const limits = ['timeout', '-k', String(KILL_AFTER_SECONDS), String(Math.ceil(runTimeoutMs / 1000))]
  const run = ['flock', '-n', lock, ...limits, ...command].map(shellWord).join(' ')
  const wait = delaySeconds === 0 ? '' : `sleep ${delaySeconds}; `
  const line = `${wait}PATH=${SEARCH_PATH} ${run}`.replaceAll('%', String.raw`\%`)
  if (line.length <= LONGEST_COMMAND) return line
  throw new OperatorError(
    `the command of this schedule is ${line.length} characters long, and cron reads ${LONGEST_COMMAND}: move options to a config file`,
  )
}

/** A stable number from 0 to `most`, evenly distributed over texts. */
function shareOf(text: string, most: number): number {
  return createHash('sha256').update(text).digest().readUInt32BE() % (most + 1)
}

/**
 * Quotes a word for cron's shell. Crons differ in the meaning of a backslash, and an entry cannot contain a line feed.
 */
function shellWord(text: string): string {
  // oxlint-disable-next-line no-control-regex -- they are what cannot be written
  if (/[\u0000-\u001f\u007f\\]/.test(text)) {
    throw new OperatorError(
      `cron does not support ${JSON.stringify(text)}: an entry cannot contain backslashes or control characters`,
    )
  }
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'"'"'`)}'`
}
