import { existsSync, lstatSync, rmSync } from 'node:fs'
import { userInfo } from 'node:os'
import { dirname } from 'node:path'
import { escapeForTerminal } from '../../model/escape.ts'
import { attempt, OperatorError } from '../../model/operator-error.ts'
import { isBundle } from '../../policy/fetch/remote.ts'
import { whoCanChange } from '../../host/live/who-can-change.ts'
import { filesOf, isSystemdRunning, linesForCrontab, pathsOf, type Scheduler } from './places.ts'
import { isOurs, type ScheduleFile, type SchedulePlan, type Scope } from './plan.ts'
import { unitName } from './systemd-units.ts'
import { nextElapse, systemctl, trySystemctl } from './tools.ts'
import { createFolders, replaceFile } from '../../host/live/own-file.ts'
import { readWhole } from '../../host/live/read-whole.ts'
import { systemReason } from '../../model/system-reason.ts'

/** Units and crontabs have a few kilobytes. */
const LARGEST_FILE_BYTES = 1024 * 1024

/** Schedulers require that other users cannot write to their files. */
const MODE = 0o644

/** A schedule and its scheduler. */
export interface Installation {
  readonly plan: SchedulePlan
  readonly scheduler: Scheduler
}

/** Output and environment of the work on a schedule. */
export interface Listener {
  readonly env: Readonly<Record<string, string | undefined>>
  /** Prints requested output: file contents and actions. */
  readonly print: (text: string) => Promise<void>
  /** Prints a remark. */
  readonly say: (text: string) => void
}

/** Prints the files that installing would write, each with its path. */
export async function showSchedule({ plan, scheduler }: Installation, io: Listener): Promise<void> {
  const files = filesOf(plan, scheduler, io.env)
  const shown = files.map(({ path, text }) => `# ${path}\n${text}`)
  await io.print(files.length === 0 ? crontab(plan) : shown.join('\n'))
}

/** Writes the files of a schedule, replacing those of the same name, and starts it. Throws an `OperatorError`. */
export async function installSchedule({ plan, scheduler }: Installation, io: Listener): Promise<void> {
  const files = filesOf(plan, scheduler, io.env)
  if (files.length === 0) {
    throw new OperatorError(
      `without systemd only root can install a schedule; add these lines with "crontab -e":\n${crontab(plan)}`.trimEnd(),
    )
  }
  for (const { path } of files) isInstalled(path)
  if (plan.sandbox.kind === 'read-only') createWritableFolders(plan.sandbox.writable)
  for (const file of files) {
    writeScheduleFile(file)
    await io.print(`wrote ${escapeForTerminal(file.path)}\n`)
  }
  if (scheduler === 'systemd') await startTimer(plan, io)
}

function crontab(plan: SchedulePlan): string {
  return linesForCrontab(plan)
    .map((line) => `${line}\n`)
    .join('')
}

async function startTimer({ name, scope, calendars }: SchedulePlan, io: Listener): Promise<void> {
  const timer = `${unitName(name)}.timer`
  if (!isSystemdRunning()) {
    await systemctl(scope, 'enable', timer)
    await io.print(`enabled ${timer}: it starts at boot, systemd is not running here\n`)
    return
  }
  await systemctl(scope, 'daemon-reload')
  await systemctl(scope, 'enable', timer)
  // A running timer keeps its old times until a restart.
  await systemctl(scope, 'restart', timer)
  const times = await Promise.all(calendars.map(nextElapse))
  const next = times.flatMap((time) => time ?? [])
  await io.print(`started ${timer}${next.length === 0 ? '' : `, next at ${next.join(' or ')}`}\n`)
  if (scope.kind === 'user' && !existsSync(`/var/lib/systemd/linger/${userInfo().username}`)) {
    io.say('driftgate: it runs only while you are logged in; run "loginctl enable-linger" to run it always\n')
  }
}

export interface Removal {
  readonly name: string
  readonly scope: Scope
}

/** Stops a schedule and removes its files, for any scheduler. Throws an `OperatorError` if it does not exist. */
export async function removeSchedule({ name, scope }: Removal, io: Listener): Promise<void> {
  const paths = pathsOf(name, scope, io.env)
  const units = paths.systemd.filter(isInstalled)
  const entries = paths.cron.filter(isInstalled)
  if (units.length + entries.length === 0) {
    const places = [...paths.systemd, ...paths.cron].join(', ')
    throw new OperatorError(`no schedule "${name}": none of ${places} exists`)
  }
  if (units.length > 0) await stopTimer(name, scope)
  for (const path of [...units, ...entries]) {
    removeScheduleFile(path)
    await io.print(`removed ${escapeForTerminal(path)}\n`)
  }
  if (units.length > 0 && isSystemdRunning()) {
    await systemctl(scope, 'daemon-reload')
    // Clears an earlier failure. A service that never failed is no longer known.
    await trySystemctl(scope, 'reset-failed', `${unitName(name)}.service`)
  }
}

async function stopTimer(name: string, scope: Scope): Promise<void> {
  const timer = `${unitName(name)}.timer`
  if (!isSystemdRunning()) return systemctl(scope, 'disable', timer)
  await systemctl(scope, 'disable', '--now', timer)
  // Otherwise a later schedule of this name would run at once. Before systemd 243 the state stays.
  await trySystemctl(scope, 'clean', '--what=state', timer)
}

/**
 * Warnings, one per path, about files that root will run repeatedly and others can change: policies contain commands.
 */
export function changeableByOthers(paths: readonly string[]): readonly string[] {
  return paths.flatMap((path) => {
    const reason = isBundle(path) ? undefined : reasonOf(path)
    return reason === undefined ? [] : [`${path} runs as root, but ${reason}`]
  })
}

function reasonOf(path: string): string | undefined {
  try {
    return whoCanChange(path)
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/**
 * True if the schedule file exists. Throws an `OperatorError` for a file that `driftgate schedule install` has not
 * written: it must not be replaced or removed.
 */
function isInstalled(path: string): boolean {
  try {
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return false
    if (isOurs(readWhole(path, LARGEST_FILE_BYTES).toString('utf8'))) return true
  } catch (error) {
    throw new OperatorError(`cannot read ${path}: ${systemReason(error)}`, { cause: error })
  }
  throw new OperatorError(`${path} was not written by driftgate and is kept: choose another --name`)
}

/** Writes a schedule file atomically and creates its folders. Throws an `OperatorError`. */
function writeScheduleFile({ path, text }: ScheduleFile): void {
  attempt(`cannot write ${path}`, () => {
    createFolders(dirname(path))
    // systemd and cron ignore its temporary file, whose name starts with a dot.
    replaceFile(path, text, { mode: MODE })
  })
}

/** Removes a file of a schedule. Throws an `OperatorError`. */
function removeScheduleFile(path: string): void {
  attempt(`cannot remove ${path}`, () => rmSync(path))
}

/** Creates the folders for a run's output: systemd can only grant access to existing ones. */
function createWritableFolders(folders: readonly string[]): void {
  for (const folder of folders) {
    attempt(`cannot create ${folder}`, () => createFolders(folder))
  }
}
