/** A NATS address: an object in an object store, or a key in a key-value store. */
export interface NatsAddress {
  readonly bucket: string
  readonly key: string
  /** The fragment, including `#`; empty if absent. */
  readonly fragment: string
}

/** Whether an operand is the address of an object. */
export function isObjectAddress(source: string): boolean {
  return /^obj:\/\//i.test(source)
}

/** Whether an operand is the address of a key. */
export function isKeyAddress(source: string): boolean {
  return /^kv:\/\//i.test(source)
}

/** The use of an address, in the terms of CCM's messages. */
type Purpose = 'object store manifest source' | 'kv hiera data source'

const PARTS = /^[a-z]+:\/\/(?<bucket>[^/?#]*)(?:\/(?<key>[^?#]*))?(?<query>\?[^#]*)?(?<fragment>#.*)?$/is

/**
 * Parses `obj://BUCKET/KEY` or `kv://BUCKET/KEY`. Both parts are case-sensitive and may be percent-encoded; a key may
 * contain `/`.
 */
export function parseNatsAddress(source: string, purpose: Purpose): NatsAddress | { readonly message: string } {
  const { bucket = '', key = '', query, fragment = '' } = PARTS.exec(source)?.groups ?? {}
  if (query !== undefined) return { message: 'a NATS address has no query: write %3F for a question mark in a key' }
  try {
    const parts = { bucket: decodeURIComponent(bucket), key: decodeURIComponent(key), fragment }
    if (parts.bucket === '') return { message: `bucket is required for ${purpose}` }
    return parts.key === '' ? { message: `key is required for ${purpose}` } : parts
  } catch {
    return { message: 'its percent-encoding is broken' }
  }
}
