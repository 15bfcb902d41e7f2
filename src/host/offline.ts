import type { ApplyOutcome } from '../model/decision.ts'
import { onlyRunning, type Unknown } from '../model/observation.ts'

/** Why a value of an offline system is unknown. */
export const NO_RUNNING_SYSTEM = 'known only on a running system, but the target is not running'

/** Why no program runs for a system below a root directory. */
export const NOTHING_IS_RUN =
  'programs are not run for a target that is a directory; boot the system and run the fix there'

/** A value that only a running system has. */
export function needsRunningSystem(subject: string): Unknown {
  return onlyRunning(`${subject}: ${NO_RUNNING_SYSTEM}`)
}

/** Rejects a change that needs a program or a running system. */
export function refusedAtRest(subject: string): () => Promise<ApplyOutcome> {
  return () => Promise.resolve({ kind: 'failed', message: `${subject}: ${NOTHING_IS_RUN}` })
}
