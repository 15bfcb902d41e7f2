import type { ResourceResult, Run, RunStart } from '../model/run.ts'
import type { Progress } from '../engine/progress.ts'
import type { DownloadProgress } from '../host/http/progress.ts'

/** A file sent with a job; its contents follow the job, in the order of `files`. */
export interface TravellingFile {
  /** Absolute local path. */
  readonly path: string
  readonly size: number
  readonly mode: number
}

/** Job for the remote driftgate: one line of JSON, followed by the file contents. */
export interface Order {
  /** Name of the command to run. */
  readonly command: string
  /** Target name for the report. */
  readonly name?: string
  /** Local working directory for relative paths. */
  readonly directory: string
  /** Policies. */
  readonly operands: readonly string[]
  /** Operands that are not files. */
  readonly words: readonly string[]
  /** Parsed options by name. */
  readonly options: Readonly<Record<string, unknown>>
  /** Sources that are not files, including standard input, by name. */
  readonly texts: readonly (readonly [name: string, text: string])[]
  readonly files: readonly TravellingFile[]
  /** Paths of plugin code among the files, with the digest of their contents. */
  readonly code?: { readonly paths: readonly string[]; readonly sha256: string }
}

/** Messages of the remote driftgate, one JSON line each. The last is `run` for a scan and `exit` for other commands. */
export type Report =
  | { readonly progress: Progress }
  | { readonly download: DownloadProgress }
  | { readonly wait: string }
  | { readonly say: string }
  | { readonly print: string }
  | { readonly start: RunStart }
  | { readonly result: readonly [policy: string, result: ResourceResult] }
  | { readonly plan: string }
  | { readonly run: Run }
  | { readonly exit: number }

/**
 * Lines after the job: a signal name interrupts the scan; every other line is a heartbeat of the caller. The scan is
 * interrupted after `MISSED_BEATS` missing heartbeats, or at the end of the stream.
 */
export const BEAT = 'beat'
export const BEAT_MS = 15_000
export const MISSED_BEATS = 4

/** Far above a job's names and paths; the longest message is the run. */
export const LONGEST_ORDER = 64 * 1024 * 1024
