import type { ApplyOutcome } from '../model/decision.ts'
import { onlyRunning, type Unknown, unknown } from '../model/observation.ts'

/** Why something is not known of a system that does not run. */
export const NO_RUNNING_SYSTEM = 'the target does not run, and only a running system can tell'

/** Why no program is run for a system below a root directory. */
export const NOTHING_IS_RUN = 'nothing is run for a target that is a directory; start the system, and run the fix there'

/** What by construction only a running system has. */
export function needsRunningSystem(subject: string): Unknown {
  return onlyRunning(`${subject}: ${NO_RUNNING_SYSTEM}`)
}

/** What the files may tell, and driftgate does not read. */
export function notReadAtRest(subject: string): Unknown {
  return unknown('not-observable', `${subject} of a target that does not run cannot be read yet`)
}

/** A change that needs a program or the running system: refused before anything is changed. */
export function refusedAtRest(subject: string): () => Promise<ApplyOutcome> {
  return () => Promise.resolve({ kind: 'failed', message: `${subject}: ${NOTHING_IS_RUN}` })
}
