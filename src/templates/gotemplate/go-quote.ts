import { TemplateError } from '../errors.ts'
import { decodeUtf8 } from '../govalue/utf8.ts'
import { isPrint } from './runes.ts'

const SHORT_ESCAPES: ReadonlyMap<string, string> = new Map([
  ['\x07', '\\a'],
  ['\b', '\\b'],
  ['\f', '\\f'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
  ['\v', '\\v'],
])

/** Runes that are not escaped: all printable ones, or only ASCII. */
export type QuoteStyle = 'printable' | 'ascii'

function quoteRune(rune: string, quote: string, style: QuoteStyle): string {
  if (rune === quote || rune === '\\') return `\\${rune}`
  const code = rune.codePointAt(0) ?? 0
  if (isPrint(rune) && (style === 'printable' || code < 128)) return rune
  const short = SHORT_ESCAPES.get(rune)
  if (short !== undefined) return short
  const hex = code.toString(16)
  if (code < 0x20 || code === 0x7f) return `\\x${hex.padStart(2, '0')}`
  return code > 0xffff ? `\\U${hex.padStart(8, '0')}` : `\\u${hex.padStart(4, '0')}`
}

/** Go's `strconv.Quote` (`%q`) or, in ASCII style, `strconv.QuoteToASCII` (`%+q`). */
export function quoteGoString(text: string, style: QuoteStyle = 'printable'): string {
  // oxlint-disable-next-line no-control-regex -- exactly the ASCII that needs no escape
  if (/^[\x20-\x7e]*$/.test(text) && !text.includes('"') && !text.includes('\\')) return `"${text}"`
  let quoted = ''
  for (const rune of text) quoted += quoteRune(rune, '"', style)
  return `"${quoted}"`
}

/** Go's `strconv.QuoteRune`: the rune as a character constant. */
export function quoteGoRune(rune: string, style: QuoteStyle = 'printable'): string {
  return `'${quoteRune(rune, "'", style)}'`
}

/** Go's `strconv.CanBackquote`: one line without control characters (except tabs), backquotes or byte order marks. */
export function canBackquote(text: string): boolean {
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  return !/[\x00-\x08\x0a-\x1f\x7f`\ufeff\ufffd]/.test(text)
}

const ESCAPES: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  "'": "'",
  '"': '"',
}

const ESCAPE = /\\(?:([abfnrtv\\'"])|x([0-9a-fA-F]{2})|([0-7]{3})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8}))/y

interface Escape {
  readonly text?: string
  readonly byte?: number
  readonly length: number
}

/** Reads the escape at the position; undefined if Go has no such escape. */
function readEscape(source: string, position: number, quote: string): Escape | undefined {
  ESCAPE.lastIndex = position
  const match = ESCAPE.exec(source)
  if (match === null) return undefined
  const [whole, short, hex, octal, unicode, wide] = match
  const length = whole.length
  if (short !== undefined) {
    const foreignQuote = (short === '"' || short === "'") && short !== quote
    return foreignQuote ? undefined : { text: ESCAPES[short] ?? '', length }
  }
  if (hex !== undefined) return { byte: Number.parseInt(hex, 16), length }
  if (octal !== undefined) {
    const byte = Number.parseInt(octal, 8)
    return byte > 255 ? undefined : { byte, length }
  }
  const code = Number.parseInt(unicode ?? wide ?? '', 16)
  if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return undefined
  return { text: String.fromCodePoint(code), length }
}

/**
 * Go's `strconv.Unquote` of a string literal with its quotes (`"…"` or a raw one). Bytes written with `\x` are decoded as UTF-8;
 * invalid UTF-8 becomes U+FFFD. Throws a `TemplateError` (`invalid syntax`) at `offset`.
 */
export function unquoteGoString(literal: string, offset: number): string {
  const body = literal.slice(1, -1)
  if (literal.startsWith('`')) return body.replaceAll('\r', '')
  if (!body.includes('\\')) return body
  const bytes: number[] = []
  let text = ''
  const flush = (): void => {
    if (bytes.length > 0) text += decodeUtf8(Uint8Array.from(bytes))
    bytes.length = 0
  }
  let position = 0
  while (position < body.length) {
    const next = body.indexOf('\\', position)
    const plain = body.slice(position, next < 0 ? body.length : next)
    if (plain !== '') {
      flush()
      text += plain
    }
    if (next < 0) break
    const escape = readEscape(body, next, '"')
    if (escape === undefined) throw new TemplateError('invalid syntax', offset)
    if (escape.byte === undefined) {
      flush()
      text += escape.text ?? ''
    } else {
      bytes.push(escape.byte)
    }
    position = next + escape.length
  }
  flush()
  return text
}

/** The code of a character constant with its quotes, such as `'a'` or `'\n'`. Throws `TemplateError` at `offset`. */
export function unquoteGoCharacter(literal: string, offset: number): number {
  const body = literal.slice(1, -1)
  if (body.startsWith('\\')) {
    const escape = readEscape(body, 0, "'")
    if (escape?.length !== body.length) throw malformed(literal, offset)
    return escape.byte ?? escape.text?.codePointAt(0) ?? 0
  }
  const code = body.codePointAt(0)
  if (code === undefined || String.fromCodePoint(code).length !== body.length) throw malformed(literal, offset)
  return code
}

function malformed(literal: string, offset: number): TemplateError {
  return new TemplateError(`malformed character constant: ${literal}`, offset)
}
