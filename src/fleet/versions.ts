interface PolicyText {
  readonly id: string
  readonly sha256: string
}

interface Versions {
  readonly replaced: (before: PolicyText, after: PolicyText, atMs: number) => void
  /** Time since which hosts have changed from this text to another one; undefined if no host has. */
  readonly leftSince: (text: PolicyText) => number | undefined
}

/**
 * Tracks the first replacement of each policy text. Only a host that changes from one text to another proves their
 * order; different hosts may have different texts under one id forever.
 */
export function createVersions(): Versions {
  const left = new Map<string, number>()
  const keyOf = ({ id, sha256 }: PolicyText): string => `${sha256} ${id}`
  return {
    replaced: (before, after, atMs) => {
      // A host that reverts makes the older text current again.
      left.delete(keyOf(after))
      const key = keyOf(before)
      left.set(key, Math.min(left.get(key) ?? atMs, atMs))
    },
    leftSince: (policy) => left.get(keyOf(policy)),
  }
}
