import { createHash, type Hash } from 'node:crypto'
import { ArchiveError } from '../archive/archive-error.ts'

/** What bytes have to be: an algorithm and the hash in hex. */
export interface Digest {
  readonly algorithm: 'sha256' | 'sha512'
  readonly hex: string
}

const DIGEST = /^(?:(sha256):([0-9a-f]{64})|(sha512):([0-9a-f]{128}))$/

/** Reads `sha256:HEX`; undefined for anything else. */
export function parseDigest(text: unknown): Digest | undefined {
  const found = typeof text === 'string' ? DIGEST.exec(text) : null
  if (found === null) return undefined
  return found[1] === undefined
    ? { algorithm: 'sha512', hex: found[4] ?? '' }
    : { algorithm: 'sha256', hex: found[2] ?? '' }
}

/** As it is written in manifests. */
export function formatDigest({ algorithm, hex }: Digest): string {
  return `${algorithm}:${hex}`
}

/** As far as people write it. */
export function shortDigest({ algorithm, hex }: Digest): string {
  return `${algorithm}:${hex.slice(0, 12)}`
}

/** Starts hashing what has to be that. */
export function hashFor({ algorithm }: Digest): Hash {
  return createHash(algorithm)
}

/** Throws an `ArchiveError` where bytes are not what they have to be. */
export function verifyDigest(what: string, digest: Digest, hash: Hash): void {
  const found = hash.digest('hex')
  if (found !== digest.hex) {
    throw new ArchiveError(
      `${what} is ${shortDigest({ ...digest, hex: found })} and has to be ${shortDigest(digest)}; the image is damaged or was changed`,
    )
  }
}
