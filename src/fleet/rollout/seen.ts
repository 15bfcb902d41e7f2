import type { FleetHost } from '../census.ts'
import type { Addressee } from '../nats/names.ts'
import { countRing, judge, type RingCount, type Verdict } from './gate.ts'
import { judgedRings } from './signs.ts'
import { type Rollout, rulesOf } from './state.ts'

/** State of a rollout with its hosts; all counts and lists derive from it. */
export interface ObservedRollout {
  readonly rollout: Rollout
  readonly rings: readonly ObservedRing[]
  /** Decision of the gate; absent unless the rollout is running. */
  readonly verdict?: Verdict
  /** Addressees with a later assignment, which stays unchanged. */
  readonly later: readonly Addressee[]
}

/** A ring with its current hosts. */
export interface ObservedRing {
  readonly name: string
  /** Release time in milliseconds since 1970; absent if not released. */
  readonly releasedAtMs?: number
  readonly hosts: readonly string[]
  /** Counts of its hosts; absent if not released. */
  readonly count?: RingCount
}

/** Evaluates a rollout with the current hosts. */
export function seeRollout(
  rollout: Rollout,
  hosts: readonly FleetHost[],
  { nowMs, later = [] }: { readonly nowMs: number; readonly later?: readonly Addressee[] },
): ObservedRollout {
  const judged = judgedRings(rollout, hosts)
  const rings = judged.map((ring): ObservedRing => {
    const { name, releasedAtMs } = ring
    const seen = { name, hosts: ring.hosts.map((host) => host.name) }
    return releasedAtMs === undefined ? seen : { ...seen, releasedAtMs, count: countRing(ring, nowMs) }
  })
  const verdict = rollout.phase === 'running' ? { verdict: judge(judged, rulesOf(rollout), nowMs) } : {}
  return { rollout, rings, ...verdict, later }
}
