import { OperatorError } from '../../model/operator-error.ts'
import type { Line } from '../../host/nats/line.ts'
import { isSha256, sha256 } from '../../host/signing/digest.ts'
import { hasExactly } from '../../host/signing/envelope.ts'
import { lastValue, storeMessage } from './jetstream.ts'
import { valueOfJson } from './json.ts'
import { BUCKETS, valueSubject } from './names.ts'

/** Maximum size of a value: servers accept messages of 1 MB. */
const LARGEST_VALUE_BYTES = 900 * 1024

export const LARGEST_BUNDLE_BYTES = 64 * 1024 * 1024

const MOST_PARTS = Math.ceil(LARGEST_BUNDLE_BYTES / LARGEST_VALUE_BYTES)
const PARTS = 'driftgate.parts/v1'

/**
 * Stores a bundle under its digest and returns the digest. A large bundle is split into parts with their own keys,
 * listed under the key of the bundle. Throws an `OperatorError`.
 */
export async function storeBundle(line: Line, bytes: Uint8Array): Promise<string> {
  const digest = sha256(bytes)
  if (bytes.length > LARGEST_BUNDLE_BYTES)
    throw new OperatorError(`the bundle ${digest} is larger than ${LARGEST_BUNDLE_BYTES} bytes`)
  const put = (key: string, body: string | Uint8Array): Promise<boolean> =>
    storeMessage(line, valueSubject(BUCKETS.policies, key), { body })
  if (bytes.length <= LARGEST_VALUE_BYTES) {
    await put(digest, bytes)
    return digest
  }
  const parts: string[] = []
  for (let start = 0; start < bytes.length; start += LARGEST_VALUE_BYTES) {
    const part = bytes.subarray(start, start + LARGEST_VALUE_BYTES)
    parts.push(sha256(part))
    await put(sha256(part), part)
  }
  await put(digest, JSON.stringify({ schema: PARTS, parts }))
  return digest
}

/** Fetches a bundle and verifies its digest. Throws an `OperatorError` if it is missing or differs. */
export async function fetchBundle(line: Line, digest: string): Promise<Uint8Array> {
  const value = await requireBundle(line, digest)
  if (sha256(value) === digest) return value
  const parts = partsIn(value)
  if (parts === undefined) throw otherBytes(digest)
  const fetched: Uint8Array[] = []
  for (const part of parts) fetched.push(await requireBundle(line, part))
  const bundle = Buffer.concat(fetched)
  if (sha256(bundle) !== digest) throw otherBytes(digest)
  return bundle
}

function otherBytes(digest: string): OperatorError {
  return new OperatorError(`the server has different content for the policy bundle ${digest}`)
}

async function requireBundle(line: Line, digest: string): Promise<Uint8Array> {
  const value = await valueOf(line, digest)
  if (value === undefined)
    throw new OperatorError(`the server has no policy bundle ${digest}; publish it with "driftgate fleet publish"`)
  return value
}

async function valueOf(line: Line, digest: string): Promise<Uint8Array | undefined> {
  return (await lastValue(line, BUCKETS.policies, digest))?.bytes
}

/** Keys of the parts of a bundle; empty if the value is the bundle itself. */
export function partsOfBundle(value: Uint8Array): readonly string[] {
  return partsIn(value) ?? []
}

function partsIn(value: Uint8Array): readonly string[] | undefined {
  const read = valueOfJson(value)
  if (!hasExactly(read, ['parts', 'schema']) || read.schema !== PARTS || !Array.isArray(read.parts)) return undefined
  const parts = (read.parts as unknown[]).filter(isSha256)
  return parts.length === read.parts.length && parts.length <= MOST_PARTS ? parts : undefined
}
