/** Whom a schedule runs as: root, or the user who installs it. */
export type Scope = { readonly kind: 'system' } | { readonly kind: 'user'; readonly home: string }

/** A desired schedule, for any scheduler. */
export interface SchedulePlan {
  /** Letters, digits, `_` and `-`. */
  readonly name: string
  readonly scope: Scope
  /** Calendar events of systemd, at least one. */
  readonly calendars: readonly string[]
  readonly randomizedDelayMs: number
  readonly runTimeoutMs: number
  /** The command of one run: the program as it is started, and the words of the scan, all paths absolute. */
  readonly command: readonly [program: string, ...words: string[]]
  readonly sandbox: Sandbox
  /** Whether a run asks servers. */
  readonly usesNetwork: boolean
}

/** What a run may write. */
export type Sandbox = ({ readonly kind: 'read-only' } & Writable) | { readonly kind: 'off' }

/** The folders that may be written to, and whether driftgate's own state directory is one of them. */
export interface Writable {
  readonly writable: readonly string[]
  readonly usesState: boolean
}

/** A file that carries out a schedule. */
export interface ScheduleFile {
  readonly path: string
  readonly text: string
}

const MARKER = '# Written by "driftgate schedule install"'

/** The first line of every file of a schedule: what tells it from the files of others. */
export function markerOf(name: string): string {
  return `${MARKER}, removed by "driftgate schedule remove --name ${name}"; changes made here are lost.`
}

/** Whether a file was written by `driftgate schedule install`. */
export function isOurs(text: string): boolean {
  return text.startsWith(MARKER)
}
