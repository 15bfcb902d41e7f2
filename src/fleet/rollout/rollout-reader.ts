import type { Login } from '../nats/connect.ts'
import { lastingLine } from '../nats/lasting-line.ts'
import { storedRollout } from '../nats/rollouts.ts'
import type { Rollout } from './state.ts'

/** Reads the rollout of a fleet. */
export interface RolloutReader {
  /** The rollout; undefined if absent or unknown, so that no exemption applies. */
  readonly read: () => Promise<Rollout | undefined>
  readonly close: () => Promise<void>
}

/** Connects on the first read, and again after a disconnection. */
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
