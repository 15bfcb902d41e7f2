import type { Seen } from '../../model/observation.ts'

/** What was seen of a thing that every machine has: its kernel, how it starts. Throws where a type says that it is absent. */
export function alwaysThere<State>(observed: Seen<State>): State {
  if (observed.kind === 'absent') throw new Error('what every machine has was said to be absent')
  return observed.state
}
