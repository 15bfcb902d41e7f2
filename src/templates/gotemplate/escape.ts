import { toWellFormed } from '../govalue/index.ts'
import { isPrint } from './runes.ts'

const HTML: ReadonlyMap<string, string> = new Map([
  ['\0', '\ufffd'],
  ['"', '&#34;'],
  ["'", '&#39;'],
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
])

/** Go's `template.HTMLEscapeString`. */
export function escapeHtml(text: string): string {
  // oxlint-disable-next-line no-control-regex -- a NUL byte is not allowed in HTML
  return text.replace(/[\0"'&<>]/g, (character) => HTML.get(character) ?? character)
}

const JAVASCRIPT: ReadonlyMap<string, string> = new Map([
  ['\\', '\\\\'],
  ["'", "\\'"],
  ['"', '\\"'],
  ['<', '\\u003C'],
  ['>', '\\u003E'],
  ['&', '\\u0026'],
  ['=', '\\u003D'],
])

/** Go's `template.JSEscapeString`. */
export function escapeJavaScript(text: string): string {
  let escaped = ''
  for (const rune of text) escaped += JAVASCRIPT.get(rune) ?? (isPrint(rune) ? rune : unicodeEscape(rune))
  return escaped
}

function unicodeEscape(rune: string): string {
  return `\\u${(rune.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
}

/** Go's `url.QueryEscape`: spaces become `+`, everything but letters, digits and `-_.~` becomes `%XX`. */
export function escapeQuery(text: string): string {
  return encodeURIComponent(toWellFormed(text))
    .replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%20', '+')
}
