import { spawn } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { OperatorError } from '../../model/operator-error.ts'
import { isSystemdRunning } from '../../runs/schedule/places.ts'
import { quoteArgument } from '../../runs/schedule/systemd-quote.ts'
import { systemctl, trySystemctl } from '../../runs/schedule/tools.ts'
import { replaceFile } from '../../host/live/own-file.ts'
import { baseOfState } from '../../host/live/state-directory.ts'
import { errorCode, provesAbsence } from '../../host/live/system-error.ts'
import type { Watcher } from './deadline.ts'

const SYSTEM = { kind: 'system' } as const

/** Command that undoes a fix at its deadline. The paths of `program` are absolute. */
export function watchCommand(
  program: readonly [string, ...string[]],
  { run, stateDirectory }: { readonly run: string; readonly stateDirectory: string },
): readonly [string, ...string[]] {
  return [...program, 'undo', run, '--unconfirmed', '--quiet', '--state-dir', baseOfState(stateDirectory)]
}

/**
 * Starts the watcher that runs `command` (with absolute paths) to undo a fix at its deadline. It outlives the current
 * session. For root under systemd it is a service; throws an `OperatorError` if systemd refuses it, or the system's
 * error.
 */
export async function startWatcher(run: string, command: readonly [string, ...string[]]): Promise<Watcher> {
  if (process.geteuid?.() === 0 && isSystemdRunning()) {
    const unit = unitOf(run)
    replaceFile(pathOf(unit), serviceText(run, command), { mode: 0o644 })
    await systemctl(SYSTEM, 'daemon-reload')
    await systemctl(SYSTEM, 'enable', unit)
    await systemctl(SYSTEM, 'start', '--no-block', unit)
    return { kind: 'service' }
  }
  const [program, ...args] = command
  const child = spawn(program, args, { detached: true, stdio: 'ignore', cwd: '/' })
  child.unref()
  const { pid } = child
  if (pid === undefined) throw new OperatorError(`${program} cannot be started`)
  return { kind: 'process', pid, startTicks: startTicksOf(pid) ?? '' }
}

/** True if the watcher of a fix is alive. */
export async function isWatching(run: string, watcher: Watcher): Promise<boolean> {
  if (watcher.kind === 'process') return startTicksOf(watcher.pid) === watcher.startTicks
  return (await trySystemctl(SYSTEM, 'is-active', '--quiet', unitOf(run))).kind === 'done'
}

/** Start time of a process; undefined if it does not exist. @see proc_pid_stat(5), starttime */
function startTicksOf(pid: number): string | undefined {
  try {
    const [state, ...fields] = readFileSync(`/proc/${pid}/stat`, 'latin1')
      .replace(/^.*\) /s, '')
      .split(' ')
    return state === 'Z' ? undefined : fields[18]
  } catch (error) {
    if (provesAbsence(error) || errorCode(error) === 'ESRCH') return undefined
    throw error
  }
}

/**
 * Removes the service of a fix. A process exits by itself without a deadline. `isOwn` means that the service itself is
 * the caller.
 */
export async function removeWatcher(run: string, { isOwn }: { readonly isOwn: boolean }): Promise<void> {
  const unit = unitOf(run)
  if (!existsSync(pathOf(unit))) return
  if (!isOwn) await trySystemctl(SYSTEM, 'stop', unit)
  await trySystemctl(SYSTEM, 'disable', unit)
  rmSync(pathOf(unit), { force: true })
  await trySystemctl(SYSTEM, 'daemon-reload')
}

function unitOf(run: string): string {
  return `driftgate-unconfirmed-${run}.service`
}

function pathOf(unit: string): string {
  return `/etc/systemd/system/${unit}`
}

function serviceText(run: string, command: readonly string[]): string {
  return `# Written by "driftgate scan --confirm-within", removed by "driftgate confirm ${run}".
[Unit]
Description=Revert driftgate fix ${run} unless it is confirmed

[Service]
ExecStart=${command.map(quoteArgument).join(' ')}
# What could not be taken back once cannot the next time either.
Restart=on-failure
RestartSec=10s
RestartPreventExitStatus=4

[Install]
WantedBy=multi-user.target
`
}
