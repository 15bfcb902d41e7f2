import { SHORTEST_FINDABLE } from '../../model/secret-text.ts'

/** Replaces a secret inside other values. */
export const SECRET = '(secret)'

/** A shorter part of Base64 would match in other texts. */
const SHORTEST_BASE64 = 6

/** A secret as programs write it: literal, in JSON, in a URL, and in Base64. Empty if it is too short to search for. */
export function writtenForms(secret: string): readonly string[] {
  if (secret.length < SHORTEST_FINDABLE) return []
  const json = JSON.stringify(secret).slice(1, -1)
  // A lone surrogate cannot be encoded in a URL.
  const url = encodeURIComponent(Buffer.from(secret).toString())
  const urls = [url, url.replaceAll('%20', '+'), url.replaceAll(/%[\dA-F]{2}/g, (code) => code.toLowerCase())]
  return [...new Set([secret, json, json.replaceAll('/', '\\/'), ...urls, ...base64Forms(secret)])]
}

/** Base64 of a text that contains the secret, at each of the three alignments. @see RFC 4648 */
function base64Forms(secret: string): readonly string[] {
  const bytes = Buffer.from(secret)
  return [0, 1, 2].flatMap((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64')
    // Characters at both ends also encode bits of neighbouring bytes.
    const start = Math.ceil((before * 8) / 6)
    const end = Math.floor(((before + bytes.length) * 8) / 6)
    const own = text.slice(start, end)
    return own.length < SHORTEST_BASE64 ? [] : [own, own.replaceAll('+', '-').replaceAll('/', '_')]
  })
}

/** Marks where a text was cut. */
const CUT = /(\u2026|\n?\[\d+ bytes left out\]\n?)/

const SHORTEST_PART = 3

/** Removes parts of secrets beside a cut, where the secret is no longer complete. */
export function hideCutSecrets(text: string, secrets: readonly string[]): string {
  return text
    .split(CUT)
    .map((part, index, parts) => {
      const ended = index < parts.length - 1 ? withoutCutEnd(part, secrets) : part
      return index > 0 ? withoutCutStart(ended, secrets) : ended
    })
    .join('')
}

function withoutCutEnd(part: string, secrets: readonly string[]): string {
  for (const secret of secrets) {
    for (let length = secret.length; length >= SHORTEST_PART; length--) {
      if (part.endsWith(secret.slice(0, length))) return `${part.slice(0, -length)}${SECRET}`
    }
  }
  return part
}

function withoutCutStart(part: string, secrets: readonly string[]): string {
  for (const secret of secrets) {
    for (let length = secret.length; length >= SHORTEST_PART; length--) {
      if (part.startsWith(secret.slice(-length))) return `${SECRET}${part.slice(length)}`
    }
  }
  return part
}
