import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { replaceFile } from '../../host/live/own-file.ts'
import { provesAbsence } from '../../host/live/system-error.ts'
import { type Clock, readClock } from './clock.ts'

/** What waits for the deadline of a fix: a service of systemd, which the next start of the system starts again, or a process. */
export type Watcher =
  | { readonly kind: 'service' }
  /** `startTicks` tells it from a later process with its number. */
  | { readonly kind: 'process'; readonly pid: number; readonly startTicks: string }

/** A fix that is undone unless it is confirmed in time. */
export interface Deadline {
  readonly run: string
  readonly withinMs: number
  /** When it was set. */
  readonly setAt: Clock
  /** What waits for it; absent as long as that is started. */
  readonly watcher?: Watcher
}

/** When the deadline is by the wall clock, ISO 8601 in UTC, unless the clock is set. */
export function endOf({ withinMs, setAt }: Deadline): string {
  return new Date(setAt.wallMs + withinMs).toISOString()
}

/**
 * How many milliseconds are left, by the time since the start of the system. After a restart by the wall clock, but never longer than the
 * system has been running since.
 */
export function restMsOf({ withinMs, setAt }: Deadline, now: Clock = readClock()): number {
  const byWall = setAt.wallMs + withinMs - now.wallMs
  if (now.boot === undefined || setAt.boot === undefined) return byWall
  if (now.boot.id === setAt.boot.id) return setAt.boot.elapsedMs + withinMs - now.boot.elapsedMs
  return Math.min(byWall, withinMs - now.boot.elapsedMs)
}

/** Sets the deadline of a fix, or another one, from now on. On the disk when it returns. Throws the system's error. */
export function setDeadline(
  stateDirectory: string,
  { run, ...deadline }: Omit<Deadline, 'setAt'> & Partial<Pick<Deadline, 'setAt'>>,
): Deadline {
  const set = { setAt: readClock(), ...deadline }
  mkdirSync(directoryIn(stateDirectory), { recursive: true, mode: 0o700 })
  replaceFile(join(directoryIn(stateDirectory), run), JSON.stringify(set), { mode: 0o600 })
  return { run, ...set }
}

/** The deadline of a fix; undefined if it has no deadline any more. Throws the system's error. */
export function readDeadline(stateDirectory: string, run: string): Deadline | undefined {
  try {
    // Only the owner of the directory can write there, and does with `setDeadline`.
    const text = readFileSync(join(directoryIn(stateDirectory), run), 'utf8')
    return { run, ...(JSON.parse(text) as Omit<Deadline, 'run'>) }
  } catch (error) {
    if (provesAbsence(error)) return undefined
    throw error
  }
}

/** Removes the deadline: the fix stays. Throws the system's error. */
export function removeDeadline(stateDirectory: string, run: string): void {
  rmSync(join(directoryIn(stateDirectory), run), { force: true })
}

/** The fixes that wait to be confirmed. Throws the system's error. */
export function listDeadlines(stateDirectory: string): readonly Deadline[] {
  return namesIn(directoryIn(stateDirectory)).flatMap((run) => readDeadline(stateDirectory, run) ?? [])
}

function namesIn(directory: string): readonly string[] {
  try {
    // A file that is being written starts with a dot.
    return readdirSync(directory).filter((name) => !name.startsWith('.'))
  } catch (error) {
    if (provesAbsence(error)) return []
    throw error
  }
}

function directoryIn(stateDirectory: string): string {
  return join(stateDirectory, 'deadlines')
}
