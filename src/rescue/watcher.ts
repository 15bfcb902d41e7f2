import { spawn } from 'node:child_process'
import { existsSync, rmSync } from 'node:fs'
import { isSystemdRunning } from '../schedule/places.ts'
import { quoteArgument } from '../schedule/systemd-quote.ts'
import { systemctl, trySystemctl } from '../schedule/tools.ts'
import { replaceFile } from '../target/local/own-file.ts'

const SYSTEM = { kind: 'system' } as const

/** What waits for the deadline of a fix: a service of systemd, which the next start of the system starts again, or a process. */
export type WatcherKind = 'service' | 'process'

/**
 * Starts what takes a fix back at its deadline: `command`, whose paths are absolute. It outlives the session that starts it. Root under
 * systemd gets a service; throws an `OperatorError` where systemd refuses, and the system's error.
 */
export async function startWatcher(run: string, command: readonly [string, ...string[]]): Promise<WatcherKind> {
  if (process.geteuid?.() === 0 && isSystemdRunning()) {
    const unit = unitOf(run)
    replaceFile(pathOf(unit), serviceText(run, command), { mode: 0o644 })
    await systemctl(SYSTEM, 'daemon-reload')
    await systemctl(SYSTEM, 'enable', unit)
    await systemctl(SYSTEM, 'start', '--no-block', unit)
    return 'service'
  }
  const [program, ...args] = command
  spawn(program, args, { detached: true, stdio: 'ignore', cwd: '/' }).unref()
  return 'process'
}

/** Takes the service of a fix away. A process ends by itself once there is no deadline. `isOwn`: it is the service that asks. */
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
Description=takes back the fix ${run} of driftgate unless it is confirmed

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
