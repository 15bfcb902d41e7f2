import { OperatorError } from '../../model/operator-error.ts'
import type { Line } from '../../host/nats/line.ts'
import { bringUp, storedRollout, storeRollout } from '../nats/rollouts.ts'
import { type Wish, withWish } from './state.ts'

/** Author of a request and the reason, which may be empty. */
export interface Wisher {
  readonly by: string
  readonly reason: string
}

/** Completed request, for the activity log and as a sentence. */
export interface Wished {
  readonly id: string
  readonly what: string
  readonly said: string
}

const DONE: Readonly<Record<Wish, string>> = {
  pause: 'paused',
  resume: 'resumed',
  back: 'rolled back',
  finish: 'released to all rings',
}

/** Applies a request of the operator to the rollout and its hosts. Throws an `OperatorError`. */
export async function wishOf(line: Line, wish: Wish, { by, reason }: Wisher): Promise<Wished> {
  const { rollout, sequence } = await storedRollout(line)
  if (rollout === undefined) throw new OperatorError('no rollout: start one with "driftgate fleet rollout start"')
  const what = reason === '' ? DONE[wish] : `${DONE[wish]}: ${reason}`
  const changed = withWish(rollout, wish, { at: new Date().toISOString(), by, what })
  if ('message' in changed) throw new OperatorError(changed.message)
  if (!(await storeRollout(line, changed.rollout, sequence)))
    throw new OperatorError(
      'the rollout has changed meanwhile: look at it with "driftgate fleet rollout", and try again',
    )
  const later = await bringUp(line, changed.rollout)
  const rest = later.length === 0 ? '' : `; ${later.join(', ')} has a later assignment, which stays in force`
  return { id: rollout.id, what, said: `the rollout "${rollout.reason}" is ${DONE[wish]}${rest}` }
}
