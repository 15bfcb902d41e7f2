import { defined } from '../model/defined.ts'
import type { AssignedTexts } from './assigned-texts.ts'
import { type FleetHost, takeCensus } from './census.ts'
import { directorySource } from './directory-source.ts'
import { assignmentsReader } from './nats/assignments-reader.ts'
import type { Login } from './nats/connect.ts'
import { keysOf } from './nats/host-keys.ts'
import { natsSource } from './nats/nats-source.ts'
import { rosterIn } from './load-roster.ts'
import { dueTexts } from './rollout/due-texts.ts'
import { rolloutReader } from './nats/rollouts.ts'
import type { Rollout } from './rollout/state.ts'
import { createRollup } from './rollup.ts'
import type { Source, UnusablePlace } from './source.ts'
import type { Trends } from './trends.ts'

export interface FleetSettings {
  /** Directory with the reports of all hosts, or the login of the fleet server. */
  readonly from: string | Login
  /** Expected hosts; without it no host can be missing. */
  readonly rosterFile?: string
  /** Default reporting interval in milliseconds. */
  readonly intervalMs: number
}

/** State of the fleet at a time; all counts and lists derive from these hosts. */
export interface FleetView {
  /** Name of the source. */
  readonly name: string
  /** Most severe first. */
  readonly hosts: readonly FleetHost[]
  readonly hasRoster: boolean
  /** Unusable items among the reports. */
  readonly unusable: readonly UnusablePlace[]
  /** Messages about hosts whose reports the storage dropped early. */
  readonly dropped: readonly string[]
  readonly nowMs: number
  readonly trends: Trends
}

export interface Fleet {
  /** Reads new reports until a signal. Throws an `OperatorError` if they cannot be read. */
  readonly look: (where: 'everywhere' | 'hinted', signal?: AbortSignal) => Promise<void>
  readonly watch: Source['watch']
  readonly close: Source['close']
  readonly view: (nowMs: number) => FleetView
  /** Number of runs read so far. */
  readonly heard: () => number
}

/** Opens a fleet without reading reports. Throws an `OperatorError` if the roster is invalid. */
export function openFleet({ from, rosterFile, intervalMs }: FleetSettings): Fleet {
  const roster = rosterFile === undefined ? undefined : rosterIn(rosterFile)
  const rollup = createRollup()
  const source =
    typeof from === 'string' ? directorySource(from, new Set(roster?.hosts.keys())) : natsSource(from, keysOf(roster))
  const rollouts = typeof from === 'string' ? undefined : rolloutReader(from)
  const assignments =
    typeof from === 'string' || from.policyKey === undefined ? undefined : assignmentsReader(from, from.policyKey)
  let rollout: Rollout | undefined
  let assigned: AssignedTexts | undefined
  let unusable: readonly UnusablePlace[] = []
  let heard = 0
  const listener = {
    add: (run: Parameters<typeof rollup.add>[0]): void => {
      heard++
      rollup.add(run)
    },
    still: (beat: Parameters<typeof rollup.still>[0]): void => {
      heard++
      rollup.still(beat)
    },
    gone: rollup.gone,
  }
  return {
    look: async (where, signal) => {
      unusable = await source.news(listener, where, signal)
      if (where === 'hinted') return
      rollout = await rollouts?.read()
      assigned = await assignments?.read()
    },
    watch: source.watch,
    async close() {
      await source.close()
      await rollouts?.close()
      await assignments?.close()
    },
    view: (nowMs) => ({
      name: source.name,
      hosts: takeCensus({
        rollup,
        ...defined({ roster, assigned, due: rollout && dueTexts(rollout) }),
        intervalMs,
        nowMs,
        unusable,
      }),
      hasRoster: roster !== undefined,
      unusable,
      dropped: source.dropped?.() ?? [],
      nowMs,
      trends: rollup.trends,
    }),
    heard: () => heard,
  }
}
