import type { ApplyOutcome } from '../model/decision.ts'
import { onlyRunning, type Unknown, unknown } from '../model/observation.ts'

/** Why a value of an offline system is unknown. */
export const NO_RUNNING_SYSTEM = 'the target does not run, and only a running system can tell'

/** Why no program runs for a system below a root directory. */
export const NOTHING_IS_RUN = 'nothing is run for a target that is a directory; start the system, and run the fix there'

/** A value that only a running system has. */
export function needsRunningSystem(subject: string): Unknown {
  return onlyRunning(`${subject}: ${NO_RUNNING_SYSTEM}`)
}

/** A value that files may have, but that driftgate does not read. */
export function notReadAtRest(subject: string): Unknown {
  return unknown('not-observable', `${subject} of a target that does not run cannot be read yet`)
}

/** Rejects a change that needs a program or a running system. */
export function refusedAtRest(subject: string): () => Promise<ApplyOutcome> {
  return () => Promise.resolve({ kind: 'failed', message: `${subject}: ${NOTHING_IS_RUN}` })
}
