import { createRingFinder } from './rings.ts'
import { directionOf, type Rollout } from './state.ts'

/** The texts of policies that a host is to have as long as a rollout is under way; undefined for a host that it does not reach. */
export type DueTexts = (host: { readonly name: string; readonly ring?: string }) => ReadonlySet<string> | undefined

/**
 * What a rollout wants each host to have now. A ring that waits for its turn has older policies than others, for as long as it takes, and is
 * not behind for that.
 */
export function dueTexts(rollout: Rollout): DueTexts {
  const after = new Set(rollout.policies.map(({ text }) => text))
  const addresses = rollout.rings.flatMap((ring) =>
    ring.targets.map(({ to, before }) => ({
      to,
      texts: directionOf(rollout, ring) === 'go' ? after : new Set(before),
    })),
  )
  const find = createRingFinder(addresses)
  return (host) => find(host)?.texts
}
