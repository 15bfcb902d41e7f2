import type { ResourceResult, Run, RunStart } from '../model/run.ts'
import type { Progress } from '../engine/progress.ts'
import type { DownloadProgress } from '../host/http/progress.ts'

/** A file that travels; its bytes follow the order, in the order in which files stand there. */
export interface TravellingFile {
  /** Where it lies here, absolute. */
  readonly path: string
  readonly size: number
  readonly mode: number
}

/** What driftgate on the far side is to do: one line of JSON, then the bytes of the files. */
export interface Order {
  /** The name of the command that is to be run there. */
  readonly command: string
  /** What the operator calls the place, where that is to stand in the report. */
  readonly name?: string
  /** Where relative paths start here. */
  readonly directory: string
  /** Policies. */
  readonly operands: readonly string[]
  /** The invalid operands. */
  readonly words: readonly string[]
  /** The options of the command by name, as the command line was read. */
  readonly options: Readonly<Record<string, unknown>>
  /** Sources that are no files, standard input too, by name. */
  readonly texts: readonly (readonly [name: string, text: string])[]
  readonly files: readonly TravellingFile[]
  /** The files and folders among them that hold the code of plugins, and the digest of what they hold. */
  readonly code?: { readonly paths: readonly string[]; readonly sha256: string }
}

/** What it says afterwards, a line of JSON each. The last is `run` of a scan, and `exit` of every other command. */
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
 * What follows the order, a line each: the name of a signal interrupts the scan, and everything else says that the caller is
 * still there. Without one for `MISSED_BEATS` beats, or at the end of the stream, the scan is interrupted.
 */
export const BEAT = 'beat'
export const BEAT_MS = 15_000
export const MISSED_BEATS = 4

/** An order is a few names; the longest report is the run. */
export const LONGEST_ORDER = 64 * 1024 * 1024
