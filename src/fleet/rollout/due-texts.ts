import { createRingFinder } from './rings.ts'
import { directionOf, type Rollout } from './state.ts'

/** Policies that a host should run during a rollout; undefined for a host outside the rollout. */
export type DueTexts = (host: { readonly name: string; readonly ring?: string }) => ReadonlySet<string> | undefined

/** Policies due on each host in a rollout. A waiting ring has older policies than others, but is not behind. */
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
