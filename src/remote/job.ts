import type { RemoteLimits } from './limits.ts'
import type { Payload } from './payload.ts'
import type { ProgramFile } from './program-file.ts'

/** A job for a remote driftgate, with its connection settings. */
export interface RemoteJob {
  readonly payload: Payload
  /** Program to copy if driftgate is not installed; undefined if copying is impossible. */
  readonly program: ProgramFile | undefined
  /** Command prefix for the scanner, such as `sudo -n`. */
  readonly become: readonly string[]
  readonly limits: RemoteLimits
}
