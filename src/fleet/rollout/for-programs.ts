import type { ObservedRing, ObservedRollout } from './seen.ts'

/** A rollout with its rings as JSON data. */
export function rolloutForPrograms({ rollout, rings, verdict, later }: ObservedRollout): object {
  const { id, reason, author, startedAt, soak, stop, version, phase, last, policies } = rollout
  return {
    id,
    phase,
    policies,
    reason,
    author,
    startedAt,
    soak,
    stop,
    version,
    last,
    ...(verdict === undefined ? {} : { next: verdict }),
    rings: rings.map(ringForPrograms),
    later,
  }
}

function ringForPrograms({ name, releasedAtMs, hosts, count }: ObservedRing): object {
  const ring = { name, hosts: hosts.length }
  if (releasedAtMs === undefined || count === undefined) return ring
  const { expected, reported, awaited, error, silent, 'new-drift': newDrift } = count
  const lists = { expected: expected.length, reported: reported.length, awaited, error, silent, 'new-drift': newDrift }
  return { ...ring, releasedAt: new Date(releasedAtMs).toISOString(), ...lists }
}
