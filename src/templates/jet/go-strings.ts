import { TemplateError } from '../errors.ts'
import { countRunes, encodeUtf8, isAscii, type Budget } from '../govalue/index.ts'

/** Go's `strings.ToUpper`: rune by rune, so `ß` stays and the context does not matter. */
export function toUpper(text: string): string {
  return isAscii(text) ? text.toUpperCase() : mapRunes(text, (rune) => rune.toUpperCase())
}

/** Go's `strings.ToLower`: rune by rune, so a final sigma is like any other. */
export function toLower(text: string): string {
  if (isAscii(text)) return text.toLowerCase()
  // The only letter with a lower case of two runes in JavaScript and one in Go.
  return mapRunes(text, (rune) => (rune === '\u0130' ? 'i' : rune.toLowerCase()))
}

// Go's case mappings return exactly one rune; if JavaScript's return more, Go keeps the letter.
function mapRunes(text: string, map: (rune: string) => string): string {
  let result = ''
  for (const rune of text) {
    const mapped = map(rune)
    result += countRunes(mapped) === 1 ? mapped : rune
  }
  return result
}

const SPACE = '[\\t\\n\\v\\f\\r \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]'
// The look-behind scans inner white space once instead of once per character.
const OUTER_SPACE = new RegExp(`^${SPACE}+|(?<!${SPACE})${SPACE}+$`, 'g')

/** Go's `strings.TrimSpace`. */
export function trimSpace(text: string): string {
  return text.replace(OUTER_SPACE, '')
}

/** Go's `strings.Repeat`. Throws a `TemplateError` for a negative count or a result that is too long. */
export function repeat(text: string, count: bigint, budget: Budget): string {
  if (count < 0n) throw new TemplateError('strings: negative Repeat count')
  const length = count * BigInt(text.length)
  budget.text(Number(length))
  return text === '' ? '' : text.repeat(Number(count))
}

/** Go's `strings.Split`; an empty separator splits into runes. */
export function split(text: string, separator: string, budget: Budget): readonly string[] {
  const parts = separator === '' ? Array.from(text) : text.split(separator)
  budget.produce(parts.length)
  return parts
}

/**
 * Go's `strings.Replace`: the first `limit` matches, all for a negative limit; an empty text matches before every rune
 * and at the end.
 */
export function replace(text: string, replacement: ReplaceOptions, budget: Budget): string {
  const { from, to, limit } = replacement
  if (limit === 0n || from === to) return text
  const pieces = from === '' ? ['', ...Array.from(text)] : text.split(from)
  const gaps = from === '' ? pieces.length : pieces.length - 1
  const count = limit < 0n || limit > BigInt(gaps) ? gaps : Number(limit)
  budget.text(text.length + count * to.length)
  if (from === '') {
    return pieces.map((piece, index) => piece + (index < count ? to : '')).join('')
  }
  const replaced = pieces.slice(0, count + 1).join(to)
  return [replaced, ...pieces.slice(count + 1)].join(from)
}

export interface ReplaceOptions {
  readonly from: string
  readonly to: string
  readonly limit: bigint
}

/** Go's `url.QueryEscape`: a space becomes `+`, letters, digits and `-_.~` stay, everything else is percent-encoded. */
export function queryEscape(text: string): string {
  return text.replace(/[^A-Za-z0-9\-_.~]+/g, (run) =>
    [...encodeUtf8(run)]
      .map((byte) => (byte === 0x20 ? '+' : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`))
      .join(''),
  )
}

const HTML_ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&#34;',
  "'": '&#39;',
}

/** Go's `html.EscapeString`. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => HTML_ESCAPES[character] ?? character)
}

/** Go's `template.HTMLEscape`, which also replaces NUL. */
export function escapeTemplateHtml(text: string): string {
  return escapeHtml(text).replaceAll('\0', '\ufffd')
}

const JS_ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  "'": "\\'",
  '"': '\\"',
  '<': '\\u003C',
  '>': '\\u003E',
  '&': '\\u0026',
  '=': '\\u003D',
}

/** Go's `template.JSEscape`: for text inside a JavaScript string. */
export function escapeJs(text: string): string {
  return text.replace(/[\\'"<>&=]|[^\P{C}]|[\u2028\u2029]|(?! )\p{Zs}/gu, (character) => {
    const code = character.codePointAt(0) ?? 0
    return JS_ESCAPES[character] ?? `\\u${code.toString(16).toUpperCase().padStart(4, '0')}`
  })
}
