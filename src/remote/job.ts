import type { RemoteLimits } from './limits.ts'
import type { Payload } from './payload.ts'
import type { ProgramFile } from './program-file.ts'

/** What driftgate is to do at a place, and how it gets there. */
export interface RemoteJob {
  readonly payload: Payload
  /** What is copied where driftgate is not installed; nothing can be copied where it is absent. */
  readonly program: ProgramFile | undefined
  /** What the scanner is started by, such as `sudo -n`. */
  readonly become: readonly string[]
  readonly limits: RemoteLimits
}
