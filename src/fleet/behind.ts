import type { Assigned } from './assigned-texts.ts'
import type { DueTexts } from './rollout/due-texts.ts'
import type { PolicyState, Rollup } from './rollup.ts'
import type { Roster } from './roster.ts'

/** Evaluated and required policies of a host. Times and durations are in milliseconds. */
export interface Evaluated {
  /** All reported policies. */
  readonly inForce: readonly PolicyState[]
  /** Reported policies without those the roster has retired. */
  readonly policies: readonly PolicyState[]
  readonly intervalMs: number
  readonly nowMs: number
  readonly roster: Roster | undefined
  readonly leftSince: Rollup['leftSince']
  /** Signed assignment of the host; absent without one or if unknown. */
  readonly assigned: Assigned | undefined
  /** Policies due in the rollout; absent if no rollout reaches the host. */
  readonly due: ReturnType<DueTexts>
}

/**
 * Times since which a host is behind; two intervals later it is outdated. A host is behind if it does not report about
 * its assignment, or evaluates a policy too rarely. Without an assignment, it is also behind with a text that other
 * hosts have replaced; with one, claims of other hosts do not count, since each could claim a newer text.
 */
export function behindSinces(evaluated: Evaluated): readonly number[] {
  const { policies, assigned } = evaluated
  const rare = policies.flatMap((policy) => rareSince(policy, evaluated) ?? [])
  if (assigned !== undefined) return isAsAssigned(evaluated, assigned) ? rare : [...rare, assigned.sinceMs]
  return [...rare, ...policies.flatMap((policy) => leftSince(policy, evaluated) ?? [])]
}

function isAsAssigned({ inForce }: Evaluated, { texts }: Assigned): boolean {
  return texts.every((text) => inForce.some(({ sha256 }) => sha256 === text))
}

function leftSince(policy: PolicyState, { due, leftSince: since }: Evaluated): number | undefined {
  return due?.has(policy.sha256) === true ? undefined : since(policy)
}

function rareSince(
  { id, ownId, evaluatedAtMs }: PolicyState,
  { roster, intervalMs, nowMs }: Evaluated,
): number | undefined {
  const own = roster?.policies.get(id) ?? roster?.policies.get(ownId)
  // Accounts for the policy's own two intervals; the caller adds those of the host.
  const dueMs = evaluatedAtMs + 2 * ((typeof own === 'number' ? own : intervalMs) - intervalMs)
  return dueMs < nowMs ? dueMs : undefined
}
