import type { Seen } from '../../model/observation.ts'

/** Observed state of a subject that every machine has, such as its kernel. Throws an `Error` if it is reported as absent. */
export function alwaysThere<State>(observed: Seen<State>): State {
  if (observed.kind === 'absent') throw new Error('a subject that every machine has was reported absent')
  return observed.state
}
