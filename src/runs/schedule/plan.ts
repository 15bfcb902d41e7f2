/** User of a schedule: root, or the installing user. */
export type Scope = { readonly kind: 'system' } | { readonly kind: 'user'; readonly home: string }

/** A schedule, independent of the scheduler. */
export interface SchedulePlan {
  /** Letters, digits, `_` and `-`. */
  readonly name: string
  readonly scope: Scope
  /** Calendar events in systemd syntax, at least one. */
  readonly calendars: readonly string[]
  readonly randomizedDelayMs: number
  readonly runTimeoutMs: number
  /** Command line of a run, with absolute paths. */
  readonly command: readonly [program: string, ...words: string[]]
  readonly sandbox: Sandbox
  /** True if a run needs the network. */
  readonly usesNetwork: boolean
}

/** Write access of a run. */
export type Sandbox = ({ readonly kind: 'read-only' } & Writable) | { readonly kind: 'off' }

/** Writable folders, and whether driftgate's state directory is writable. */
export interface Writable {
  readonly writable: readonly string[]
  readonly usesState: boolean
}

export interface ScheduleFile {
  readonly path: string
  readonly text: string
}

const MARKER = '# Written by "driftgate schedule install"'

/** First line of every schedule file, which identifies it as driftgate's. */
export function markerOf(name: string): string {
  return `${MARKER}, removed by "driftgate schedule remove --name ${name}"; changes made here are lost.`
}

/** True if `driftgate schedule install` wrote the file. */
export function isOurs(text: string): boolean {
  return text.startsWith(MARKER)
}
