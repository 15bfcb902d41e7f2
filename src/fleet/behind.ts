import type { Assigned } from './assigned-texts.ts'
import type { DueTexts } from './rollout/due-texts.ts'
import type { PolicyState, Rollup } from './rollup.ts'
import type { Roster } from './roster.ts'

/** What a host evaluates, and what it is to evaluate. Times and spans are in milliseconds. */
export interface Evaluated {
  /** All that it reports about. */
  readonly inForce: readonly PolicyState[]
  /** Those of them that the roster has not retired. */
  readonly policies: readonly PolicyState[]
  readonly intervalMs: number
  readonly nowMs: number
  readonly roster: Roster | undefined
  readonly leftSince: Rollup['leftSince']
  /** What the operator has signed for it; absent where that is nothing, or that is unknown. */
  readonly assigned: Assigned | undefined
  /** What a rollout wants it to have; absent where none reaches it. */
  readonly due: ReturnType<DueTexts>
}

/**
 * Since when a host is behind with what, so that two intervals later it is outdated: it does not report about what it is assigned, or
 * evaluates a policy no longer as often as it should. Without an assignment it is behind with a text that other hosts have left for
 * another one; with one, what others say of themselves counts for nothing, since each of them could say that there is a newer text, or none.
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
  // Its own two intervals are counted here, those of the host by the caller.
  const dueMs = evaluatedAtMs + 2 * ((typeof own === 'number' ? own : intervalMs) - intervalMs)
  return dueMs < nowMs ? dueMs : undefined
}
