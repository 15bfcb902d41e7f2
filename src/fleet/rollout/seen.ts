import type { FleetHost } from '../census.ts'
import type { Addressee } from '../nats/names.ts'
import { countRing, judge, type RingCount, type Verdict } from './gate.ts'
import { judgedRings } from './signs.ts'
import { type Rollout, rulesOf } from './state.ts'

/** A rollout, and what its hosts say of it. Every count and every list comes from these. */
export interface ObservedRollout {
  readonly rollout: Rollout
  readonly rings: readonly ObservedRing[]
  /** What the gate says; absent where the rollout is not under way. */
  readonly verdict?: Verdict
  /** Addresses that were assigned something else since, which is left as it is. */
  readonly later: readonly Addressee[]
}

/** A ring with the names of its hosts, as they stand. */
export interface ObservedRing {
  readonly name: string
  /** In milliseconds since 1970; absent where it has not got the policies. */
  readonly releasedAtMs?: number
  readonly hosts: readonly string[]
  /** How they stand; absent where it has not got the policies. */
  readonly count?: RingCount
}

/** Looks at a rollout with the hosts as they are now. */
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
