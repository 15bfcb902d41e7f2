import { OperatorError } from '../../core/operator-error.ts'
import type { Line } from '../../nats/line.ts'
import { enter, type Login } from '../nats/connect.ts'
import { storedRollout } from '../nats/rollouts.ts'
import type { Rollout } from './state.ts'

/** Reads the rollout of a fleet, for whoever only has to know of it. */
export interface RolloutReader {
  /** The rollout; undefined where there is none, and where that cannot be told, since nothing may be thought better of for it. */
  readonly read: () => Promise<Rollout | undefined>
  readonly close: () => Promise<void>
}

/** Connects when it is asked first, and again after the server was away. */
export function rolloutReader(login: Login): RolloutReader {
  let open: Line | undefined
  return {
    async read() {
      try {
        if (open === undefined || open.isClosed()) open = await enter(login)
        return (await storedRollout(open)).rollout
      } catch (error) {
        if (!(error instanceof OperatorError)) throw error
        return undefined
      }
    },
    close: async () => open?.close(),
  }
}
