/** What an address of NATS names: an object of an object store, or the value of a key. */
export interface NatsAddress {
  readonly bucket: string
  readonly key: string
  /** What stands behind `#`, with it; empty if absent. */
  readonly fragment: string
}

/** Whether an operand names an object of an object store. */
export function isObjectAddress(source: string): boolean {
  return /^obj:\/\//i.test(source)
}

/** Whether an operand names the value of a key. */
export function isKeyAddress(source: string): boolean {
  return /^kv:\/\//i.test(source)
}

/** What takes an address, as CCM calls it in its messages. */
type Purpose = 'object store manifest source' | 'kv hiera data source'

const PARTS = /^[a-z]+:\/\/(?<bucket>[^/?#]*)(?:\/(?<key>[^?#]*))?(?<query>\?[^#]*)?(?<fragment>#.*)?$/is

/**
 * Reads `obj://BUCKET/KEY` or `kv://BUCKET/KEY`. Both parts keep their case and may be percent-encoded; a key may hold `/`.
 */
export function parseNatsAddress(source: string, purpose: Purpose): NatsAddress | { readonly message: string } {
  const { bucket = '', key = '', query, fragment = '' } = PARTS.exec(source)?.groups ?? {}
  if (query !== undefined) return { message: 'an address of NATS has no query, write %3F for a question mark in a key' }
  try {
    const parts = { bucket: decodeURIComponent(bucket), key: decodeURIComponent(key), fragment }
    if (parts.bucket === '') return { message: `bucket is required for ${purpose}` }
    return parts.key === '' ? { message: `key is required for ${purpose}` } : parts
  } catch {
    return { message: 'its percent-encoding is broken' }
  }
}
