import { createHash, type Hash } from 'node:crypto'
import { ArchiveError } from '../archive/archive-error.ts'

/** An expected hash. */
export interface Digest {
  readonly algorithm: 'sha256' | 'sha512'
  readonly hex: string
}

const DIGEST = /^(?:(sha256):([0-9a-f]{64})|(sha512):([0-9a-f]{128}))$/

/** Parses `sha256:HEX` or `sha512:HEX`; undefined if invalid. */
export function parseDigest(text: unknown): Digest | undefined {
  const found = typeof text === 'string' ? DIGEST.exec(text) : null
  if (found === null) return undefined
  return found[1] === undefined
    ? { algorithm: 'sha512', hex: found[4] ?? '' }
    : { algorithm: 'sha256', hex: found[2] ?? '' }
}

export function formatDigest({ algorithm, hex }: Digest): string {
  return `${algorithm}:${hex}`
}

/** Abbreviated for messages. */
export function shortDigest({ algorithm, hex }: Digest): string {
  return `${algorithm}:${hex.slice(0, 12)}`
}

export function hashFor({ algorithm }: Digest): Hash {
  return createHash(algorithm)
}

/** Throws an `ArchiveError` if the hash does not match. */
export function verifyDigest(what: string, digest: Digest, hash: Hash): void {
  const found = hash.digest('hex')
  if (found !== digest.hex) {
    throw new ArchiveError(
      `${what} has the digest ${shortDigest({ ...digest, hex: found })}, expected ${shortDigest(digest)}; the image is damaged or was changed`,
    )
  }
}
