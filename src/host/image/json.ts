import { ArchiveError } from '../archive/archive-error.ts'
import { type Digest, formatDigest, hashFor, verifyDigest } from './digest.ts'
import type { Span } from './held-file.ts'
import type { ImageStore } from './store.ts'

/** An untrusted JSON object. */
export type JsonObject = Readonly<Record<string, unknown>>

// The limit of registries.
const LARGEST_JSON_BYTES = 4 * 1024 ** 2

/** Parses a JSON file of an image and verifies its digest; undefined if it does not exist. */
export function readJson(store: ImageStore, name: string, digest?: Digest): unknown {
  const span = store.find(name)
  return span === undefined ? undefined : parse(span, name, digest)
}

function parse({ file, at, sizeBytes }: Span, name: string, digest: Digest | undefined): unknown {
  if (sizeBytes > LARGEST_JSON_BYTES) throw new ArchiveError(`${JSON.stringify(name)} is larger than 4 MiB`)
  const bytes = file.read(at, sizeBytes)
  if (digest !== undefined) verifyDigest(JSON.stringify(name), digest, hashFor(digest).update(bytes))
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw new ArchiveError(`${JSON.stringify(name)} is not JSON`)
  }
}

/** The JSON object of an OCI layout with that digest. Throws an `ArchiveError` if it is missing or not an object. */
export function readBlobJson(store: ImageStore, digest: Digest): JsonObject {
  const found = readJson(store, blobName(digest), digest)
  if (found === undefined) throw new ArchiveError(`${formatDigest(digest)} is not in the image`)
  return objectAt(found, formatDigest(digest))
}

/** The path of a blob in an OCI layout. */
export function blobName({ algorithm, hex }: Digest): string {
  return `blobs/${algorithm}/${hex}`
}

/** The value as an object. Throws an `ArchiveError` with the name `what` otherwise. */
export function objectAt(value: unknown, what: string): JsonObject {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject
  throw new ArchiveError(`${what} is not an object`)
}

/** The value as a list of at most 10,000 items. Throws an `ArchiveError` with the name `what` otherwise. */
export function listAt(value: unknown, what: string): readonly unknown[] {
  if (Array.isArray(value) && value.length <= LONGEST_LIST) return value
  throw new ArchiveError(`${what} is not a list of at most ${LONGEST_LIST}`)
}

const LONGEST_LIST = 10_000

/** The value if it is text, otherwise an empty text. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
