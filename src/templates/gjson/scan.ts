/** Kinds of value, with GJSON's names. In a result, `Null` with an empty text also means that no value was found. */
export type GjsonType = 'Null' | 'False' | 'Number' | 'String' | 'True' | 'JSON'

/** Value in the text: its kind and its span. */
export interface Token {
  readonly type: GjsonType
  readonly start: number
  readonly end: number
}

/** Member of an object: the span of the key with its quotes, and the start of its value. */
export interface Member {
  readonly keyStart: number
  readonly keyEnd: number
  readonly valueStart: number
}

/** End of the string that starts at `quote`: the index after its closing quote, -1 if it is not closed. */
export function endOfString(text: string, quote: number): number {
  let from = quote + 1
  for (;;) {
    const close = text.indexOf('"', from)
    if (close === -1) return -1
    let before = close - 1
    while (before > quote && text[before] === '\\') before -= 1
    if ((close - before) % 2 === 1) return close + 1
    from = close + 1
  }
}

/**
 * End of the bracket at `open`: the index after its closing one, or the end of the text if it is not closed. Brackets of all
 * kinds count alike; those inside strings are ignored.
 */
export function endOfBracket(text: string, open: number): number {
  let depth = 1
  for (let at = open + 1; at < text.length; at += 1) {
    const char = text[at]
    if (char === '"') {
      const end = endOfString(text, at)
      if (end === -1) return text.length
      at = end - 1
    } else if (char === '{' || char === '[' || char === '(') {
      depth += 1
    } else if (char === '}' || char === ']' || char === ')') {
      depth -= 1
      if (depth === 0) return at + 1
    }
  }
  return text.length
}

/** End of the bracket or string at `open`; the end of the text if it is not closed. */
export function endOfQuotedOrBracket(text: string, open: number): number {
  if (text[open] !== '"') return endOfBracket(text, open)
  const end = endOfString(text, open)
  return end === -1 ? text.length : end
}

/**
 * Start of the next value at or after `from`; undefined at `stop` or the end of the text. Skips characters that cannot start a
 * value.
 */
export function startOfValue(text: string, from: number, stop?: string): number | undefined {
  for (let at = from; at < text.length; at += 1) {
    const char = text.charAt(at)
    if (char === stop) return undefined
    if (/["{[tfnN+\-0-9iI]/.test(char)) return at
  }
  return undefined
}

/** Value that starts at `start`; undefined for an unclosed string. */
export function tokenAt(text: string, start: number): Token | undefined {
  switch (text.charAt(start)) {
    case '"': {
      const end = endOfString(text, start)
      return end === -1 ? undefined : { type: 'String', start, end }
    }
    case '{':
    case '[':
      return { type: 'JSON', start, end: endOfBracket(text, start) }
    case 't':
      return { type: 'True', start, end: endOfLiteral(text, start) }
    case 'f':
      return { type: 'False', start, end: endOfLiteral(text, start) }
    case 'n':
      if (text[start + 1] === 'u' || start + 1 === text.length) {
        return { type: 'Null', start, end: endOfLiteral(text, start) }
      }
  }
  return { type: 'Number', start, end: endOfNumber(text, start) }
}

function endOfLiteral(text: string, start: number): number {
  let at = start + 1
  while (at < text.length && /[a-z]/.test(text.charAt(at))) at += 1
  return at
}

function endOfNumber(text: string, start: number): number {
  let at = start + 1
  while (at < text.length && !isNumberEnd(text.charAt(at))) at += 1
  return at
}

function isNumberEnd(char: string): boolean {
  return char <= ' ' || char === ',' || char === ']' || char === '}'
}

/** Next member of an object at or after `from`; undefined at the closing brace or at invalid text. */
export function nextMember(text: string, from: number): Member | undefined {
  let keyStart = from
  while (keyStart < text.length && text[keyStart] !== '"') {
    if (text[keyStart] === '}') return undefined
    keyStart += 1
  }
  const keyEnd = keyStart < text.length ? endOfString(text, keyStart) : -1
  if (keyEnd === -1) return undefined
  const valueStart = startOfValue(text, keyEnd)
  return valueStart === undefined ? undefined : { keyStart, keyEnd, valueStart }
}

const simpleEscapes: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ['\\', '\\'],
  ['/', '/'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
])

/**
 * Decodes the escapes between the quotes of a JSON string. Stops at the first invalid escape and replaces lone surrogates by
 * U+FFFD, like GJSON.
 */
export function unescapeJson(inner: string): string {
  let decoded = ''
  for (let at = 0; at < inner.length; at += 1) {
    const char = inner.charAt(at)
    if (char < ' ') return decoded
    if (char !== '\\') {
      decoded += char
      continue
    }
    at += 1
    const simple = simpleEscapes.get(inner.charAt(at))
    if (simple !== undefined) {
      decoded += simple
      continue
    }
    const code = unicodeEscape(inner, at - 1)
    if (code === undefined) return decoded
    const low = isSurrogate(code) ? unicodeEscape(inner, at + 5) : undefined
    decoded += low === undefined ? wellFormed(String.fromCharCode(code)) : joinSurrogates(code, low)
    at += low === undefined ? 4 : 10
  }
  return decoded
}

function unicodeEscape(text: string, at: number): number | undefined {
  const escape = /^\\u([0-9a-f]{4})/i.exec(text.slice(at, at + 6))
  return escape === null ? undefined : Number.parseInt(escape[1] ?? '', 16)
}

function isSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdfff
}

function joinSurrogates(high: number, low: number): string {
  const isPair = high < 0xdc00 && low >= 0xdc00 && low <= 0xdfff
  return isPair ? String.fromCharCode(high, low) : '\ufffd'
}

function wellFormed(char: string): string {
  return isSurrogate(char.charCodeAt(0)) ? '\ufffd' : char
}
