import type { PolicyState, Rollup } from './rollup.ts'

interface Versions {
  readonly replaced: (
    before: Pick<PolicyState, 'id' | 'sha256'>,
    after: Pick<PolicyState, 'id' | 'sha256'>,
    atMs: number,
  ) => void
  readonly leftSince: Rollup['leftSince']
}

/**
 * Which texts of policies were replaced, and when first. Only a host that goes over from one to the other proves that one is
 * the older; different hosts may have different texts under one id for ever.
 */
export function createVersions(): Versions {
  const left = new Map<string, number>()
  const keyOf = ({ id, sha256 }: Pick<PolicyState, 'id' | 'sha256'>): string => `${sha256} ${id}`
  return {
    replaced: (before, after, atMs) => {
      // Who goes back makes the older text the one in force.
      left.delete(keyOf(after))
      const key = keyOf(before)
      left.set(key, Math.min(left.get(key) ?? atMs, atMs))
    },
    leftSince: (policy) => left.get(keyOf(policy)),
  }
}
