/** A text of a policy. */
interface PolicyText {
  readonly id: string
  readonly sha256: string
}

interface Versions {
  readonly replaced: (before: PolicyText, after: PolicyText, atMs: number) => void
  /** Since when hosts have gone over from this text to another one; undefined where none has. */
  readonly leftSince: (text: PolicyText) => number | undefined
}

/**
 * Which texts of policies were replaced, and when first. Only a host that goes over from one to the other proves that one is
 * the older; different hosts may have different texts under one id for ever.
 */
export function createVersions(): Versions {
  const left = new Map<string, number>()
  const keyOf = ({ id, sha256 }: PolicyText): string => `${sha256} ${id}`
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
