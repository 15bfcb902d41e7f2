import { Buffer } from 'node:buffer'
import { hash } from 'node:crypto'

/** What all UUIDs are made below (RFC 9562, 5.5): a random one, the same for ever. */
const NAMESPACE = Buffer.from('6b9d4c1e52f04a7ab3c8e1d07f5a2946', 'hex')
/** Where the names of properties are from that are not those of OSCAL. */
export const NAMES = 'urn:driftgate:oscal'

const DIGEST_CHARACTERS = 8

/** A UUID of version 5 of these words: the same words give the same. */
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

/** Makes UUIDs for one document, in which no two are the same although their words may be. */
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
 * The words as one token of OSCAL, which begins with a letter or `_` and has only letters, digits, `.`, `-` and `_`. Where
 * that would lose a sign, a digest of the words is its end, so that other words give another token.
 */
export function tokenOf(...words: readonly string[]): string {
  const isExact = words.every((word) => /^[\p{L}\p{N}.-]+$/u.test(word))
  const joined = words.map((word) => word.replaceAll(/[^\p{L}\p{N}.-]+/gu, '-').replaceAll(/^-+|-+$/g, '')).join('_')
  const token = /^\p{L}/u.test(joined) ? joined : `_${joined}`
  return isExact ? token : `${token}_${hash('sha256', JSON.stringify(words), 'hex').slice(0, DIGEST_CHARACTERS)}`
}

/**
 * What a catalogue calls one of its controls. That of NIST has `ac-2.1` in OSCAL for `AC-2(1)`; of others the name of the
 * catalogue comes first, because `6.1.1` is no token.
 */
export function controlIdOf(catalogue: string, id: string): string {
  const [, family, enhancement] = /^([A-Z]{2}-\d+)(?:\((\d+)\))?$/i.exec(id) ?? []
  if (!/^nist\b/i.test(catalogue) || family === undefined) return tokenOf(catalogue, id)
  return family.toLowerCase() + (enhancement === undefined ? '' : `.${enhancement}`)
}
