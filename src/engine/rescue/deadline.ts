import { unlessAbsent } from '../../host/if-there.ts'
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { replaceFile } from '../../host/live/own-file.ts'
import { errorCode, provesAbsence } from '../../host/live/system-error.ts'

/** Wall-clock time, which may be adjusted, and the time since boot, if known. */
interface Clock {
  readonly wallMs: number
  readonly boot?: { readonly id: string; readonly elapsedMs: number }
}

/** Watcher of a fix deadline: a systemd service, which is started again at boot, or a process. */
export type Watcher =
  | { readonly kind: 'service' }
  /** `startTicks` detects a reused pid. */
  | { readonly kind: 'process'; readonly pid: number; readonly startTicks: string }

/** A fix that is undone unless it is confirmed in time. */
export interface Deadline {
  readonly run: string
  readonly withinMs: number
  readonly setAt: Clock
  /** The watcher; absent while it is being started. */
  readonly watcher?: Watcher
}

/** End of the deadline by the wall clock, ISO 8601 in UTC. */
export function endOf({ withinMs, setAt }: Deadline): string {
  return new Date(setAt.wallMs + withinMs).toISOString()
}

/**
 * Remaining milliseconds, by the monotonic clock. After a reboot by the wall clock, but at most the deadline minus the
 * uptime.
 */
export function restMsOf({ withinMs, setAt }: Deadline, now: Clock = readClock()): number {
  const byWall = setAt.wallMs + withinMs - now.wallMs
  if (now.boot === undefined || setAt.boot === undefined) return byWall
  if (now.boot.id === setAt.boot.id) return setAt.boot.elapsedMs + withinMs - now.boot.elapsedMs
  return Math.min(byWall, withinMs - now.boot.elapsedMs)
}

/** Sets or replaces the deadline of a fix, starting now. Flushed to disk on return. Throws the system's error. */
export function setDeadline(
  stateDirectory: string,
  { run, ...deadline }: Omit<Deadline, 'setAt'> & Partial<Pick<Deadline, 'setAt'>>,
): Deadline {
  const set = { setAt: readClock(), ...deadline }
  mkdirSync(directoryIn(stateDirectory), { recursive: true, mode: 0o700 })
  replaceFile(join(directoryIn(stateDirectory), run), JSON.stringify(set), { mode: 0o600 })
  return { run, ...set }
}

/** Deadline of a fix; undefined without one. Throws the system's error. */
export function readDeadline(stateDirectory: string, run: string): Deadline | undefined {
  try {
    // The directory is writable only for its owner, and written only by `setDeadline`.
    const text = readFileSync(join(directoryIn(stateDirectory), run), 'utf8')
    return { run, ...(JSON.parse(text) as Omit<Deadline, 'run'>) }
  } catch (error) {
    if (provesAbsence(error)) return undefined
    throw error
  }
}

/** Removes the deadline, which keeps the fix. Throws the system's error. */
export function removeDeadline(stateDirectory: string, run: string): void {
  rmSync(join(directoryIn(stateDirectory), run), { force: true })
}

/** Deadlines of unconfirmed fixes. Throws the system's error. */
export function listDeadlines(stateDirectory: string): readonly Deadline[] {
  return namesIn(directoryIn(stateDirectory)).flatMap((run) => readDeadline(stateDirectory, run) ?? [])
}

function namesIn(directory: string): readonly string[] {
  // A file being written starts with a dot.
  return (unlessAbsent(() => readdirSync(directory)) ?? []).filter((name) => !name.startsWith('.'))
}

function directoryIn(stateDirectory: string): string {
  return join(stateDirectory, 'deadlines')
}

/** Reads the clocks. @see proc_uptime(5), which includes the time in suspend */
function readClock(): Clock {
  const wallMs = Date.now()
  try {
    const [seconds] = readFileSync('/proc/uptime', 'utf8').split(' ')
    const id = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    return { wallMs, boot: { id, elapsedMs: Math.round(Number(seconds) * 1000) } }
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    return { wallMs }
  }
}
