import { Buffer } from 'node:buffer'
import { hash } from 'node:crypto'

/** The namespace of all UUIDs (RFC 9562, 5.5): random, but fixed. */
const NAMESPACE = Buffer.from('6b9d4c1e52f04a7ab3c8e1d07f5a2946', 'hex')
/** The namespace of property names that are not OSCAL's. */
export const NAMES = 'urn:driftgate:oscal'

const DIGEST_CHARACTERS = 8

/** A UUID of version 5, determined by the words. */
export function uuidOf(...words: readonly string[]): string {
  const name = Buffer.from(JSON.stringify(words))
  const digest = hash('sha1', Buffer.concat([NAMESPACE, name]), 'hex')
  const variant = ((Number.parseInt(digest.slice(16, 18), 16) & 0x3f) | 0x80).toString(16)
  return [
    digest.slice(0, 8),
    digest.slice(8, 12),
    `5${digest.slice(13, 16)}`,
    variant + digest.slice(18, 20),
    digest.slice(20, 32),
  ].join('-')
}

/** Makes UUIDs that are unique within one document, even for equal words. */
export function uuidsOf(): typeof uuidOf {
  const counts = new Map<string, number>()
  return (...words) => {
    const key = JSON.stringify(words)
    const count = (counts.get(key) ?? 0) + 1
    counts.set(key, count)
    return count === 1 ? uuidOf(...words) : uuidOf(...words, String(count))
  }
}

/**
 * Encodes words as an OSCAL token, which starts with a letter or `_` and contains only letters, digits, `.`, `-` and
 * `_`. If characters would be lost, a digest is appended, so that different words have different tokens.
 */
export function tokenOf(...words: readonly string[]): string {
  const isExact = words.every((word) => /^[\p{L}\p{N}.-]+$/u.test(word))
  const joined = words.map((word) => word.replaceAll(/[^\p{L}\p{N}.-]+/gu, '-').replaceAll(/^-+|-+$/g, '')).join('_')
  const token = /^\p{L}/u.test(joined) ? joined : `_${joined}`
  return isExact ? token : `${token}_${hash('sha256', JSON.stringify(words), 'hex').slice(0, DIGEST_CHARACTERS)}`
}

/**
 * The id of a control in a catalogue. For NIST, OSCAL writes `AC-2(1)` as `ac-2.1`; for others the name of the
 * catalogue is prefixed, because `6.1.1` is not a token.
 */
export function controlIdOf(catalogue: string, id: string): string {
  const [, family, enhancement] = /^([A-Z]{2}-\d+)(?:\((\d+)\))?$/i.exec(id) ?? []
  if (!/^nist\b/i.test(catalogue) || family === undefined) return tokenOf(catalogue, id)
  return family.toLowerCase() + (enhancement === undefined ? '' : `.${enhancement}`)
}
