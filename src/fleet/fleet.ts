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
import { rolloutReader } from './rollout/rollout-reader.ts'
import type { Rollout } from './rollout/state.ts'
import { createRollup } from './rollup.ts'
import type { Source, UnusablePlace } from './source.ts'
import type { Trends } from './trends.ts'

/** Which fleet. */
export interface FleetSettings {
  /** The directory with the reports of all hosts, or the server that has them. */
  readonly from: string | Login
  /** Absent without a list of who should report: then no host can be missing. */
  readonly rosterFile?: string
  /** How often hosts report of which the roster does not say it, in milliseconds. */
  readonly intervalMs: number
}

/** What is known of the fleet at a time. Every count and every list comes from these hosts. */
export interface FleetView {
  /** What the source is called. */
  readonly name: string
  /** The gravest first. */
  readonly hosts: readonly FleetHost[]
  readonly hasRoster: boolean
  /** What lies among the reports and cannot be used. */
  readonly unusable: readonly UnusablePlace[]
  /** Sentences on hosts whose reports the storage has dropped before their time. */
  readonly dropped: readonly string[]
  readonly nowMs: number
  readonly trends: Trends
}

/** What the reports of many hosts amount to. */
export interface Fleet {
  /** Takes in what is new until a signal. Throws an `OperatorError` where the reports cannot be read. */
  readonly look: (where: 'everywhere' | 'hinted', signal?: AbortSignal) => Promise<void>
  readonly watch: Source['watch']
  readonly close: Source['close']
  readonly view: (nowMs: number) => FleetView
  /** How many runs were taken in so far. */
  readonly heard: () => number
}

/** Knows nothing before it has looked. Throws an `OperatorError` where the roster cannot be used. */
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
