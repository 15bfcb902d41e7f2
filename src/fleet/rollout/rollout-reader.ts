import type { Login } from '../nats/connect.ts'
import { lastingLine } from '../nats/lasting-line.ts'
import { storedRollout } from '../nats/rollouts.ts'
import type { Rollout } from './state.ts'

/** Reads the rollout of a fleet, for readers that only have to know of it. */
export interface RolloutReader {
  /** The rollout; undefined if absent, and where that cannot be told, since nothing may be thought better of for it. */
  readonly read: () => Promise<Rollout | undefined>
  readonly close: () => Promise<void>
}

/** Connects when it is asked first, and again after the server was away. */
export function rolloutReader(login: Login): RolloutReader {
  const { follow, close } = lastingLine(login)
  return {
    async read() {
      let rollout: Rollout | undefined
      await follow(async (line) => {
        rollout = (await storedRollout(line)).rollout
      })
      return rollout
    },
    close,
  }
}
