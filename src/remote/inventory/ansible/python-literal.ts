/** What `ast.literal_eval` makes of a text. */
export type PythonLiteral =
  /** Plain data, whole numbers as bigint. */
  | { readonly kind: 'value'; readonly value: unknown }
  /** A literal that has no counterpart outside of Python: a set, bytes, a complex number. */
  | { readonly kind: 'python' }
  /** Something else, which is a text for Ansible. */
  | { readonly kind: 'none' }

/** Deeper than anybody writes. */
const MOST_DEPTH = 50

/** Reads a text as Ansible reads the value of a variable in an INI inventory. @see ast.literal_eval of Python 3 */
export function pythonLiteral(text: string): PythonLiteral {
  const reader: Reader = { text, at: 0, isOnlyPython: false }
  skipBlanks(reader)
  try {
    const value = readItems(reader, '')
    const isWhole = reader.at === text.length || text.charAt(reader.at) === '#'
    if (!isWhole || value === undefined) return { kind: 'none' }
    return reader.isOnlyPython ? { kind: 'python' } : { kind: 'value', value: value.value }
  } catch (error) {
    if (error instanceof NoLiteral) return { kind: 'none' }
    throw error
  }
}

interface Reader {
  readonly text: string
  at: number
  isOnlyPython: boolean
}

class NoLiteral extends Error {}

/** One value, or several between commas, which are a tuple; undefined where there is none. */
function readItems(reader: Reader, end: string, depth = 0): { readonly value: unknown } | undefined {
  const items: unknown[] = []
  let isTuple = false
  while (!isAt(reader, end)) {
    items.push(readValue(reader, depth))
    if (!take(reader, ',')) break
    isTuple = true
  }
  if (isTuple) return { value: items }
  return items.length === 0 ? undefined : { value: items[0] }
}

function isAt({ text, at }: Reader, end: string): boolean {
  return end === '' ? at >= text.length || text.charAt(at) === '#' : text.charAt(at) === end
}

function skipBlanks(reader: Reader): void {
  while (/[ \t\f]/.test(reader.text.charAt(reader.at))) reader.at++
}

function take(reader: Reader, character: string): boolean {
  if (reader.text.charAt(reader.at) !== character) return false
  reader.at++
  skipBlanks(reader)
  return true
}

function demand(reader: Reader, character: string): void {
  if (!take(reader, character)) throw new NoLiteral()
}

function match(reader: Reader, pattern: RegExp): RegExpExecArray | undefined {
  pattern.lastIndex = reader.at
  const found = pattern.exec(reader.text)
  if (found === null) return undefined
  reader.at += found[0].length
  return found
}

function readValue(reader: Reader, depth: number): unknown {
  if (depth > MOST_DEPTH) throw new NoLiteral()
  if (take(reader, '(')) {
    const inside = readItems(reader, ')', depth + 1)
    demand(reader, ')')
    return inside === undefined ? [] : inside.value
  }
  if (take(reader, '[')) return readList(reader, depth)
  if (take(reader, '{')) return readBraces(reader, depth)
  const value = readSigned(reader) ?? readStrings(reader) ?? readConstant(reader)
  if (value === undefined) throw new NoLiteral()
  skipBlanks(reader)
  return value.value
}

function readList(reader: Reader, depth: number): readonly unknown[] {
  const items: unknown[] = []
  while (!isAt(reader, ']')) {
    items.push(readValue(reader, depth + 1))
    if (!take(reader, ',')) break
  }
  demand(reader, ']')
  return items
}

/** A dictionary, or a set. */
function readBraces(reader: Reader, depth: number): unknown {
  const entries = new Map<string, unknown>()
  while (!isAt(reader, '}')) {
    const key = readValue(reader, depth + 1)
    if (take(reader, ':')) entries.set(keyText(reader, key), readValue(reader, depth + 1))
    else reader.isOnlyPython = true
    if (!take(reader, ',')) break
  }
  demand(reader, '}')
  return Object.fromEntries(entries)
}

/** What JSON makes of a key; Ansible itself keeps numbers. */
function keyText(reader: Reader, key: unknown): string {
  if (typeof key === 'object' && key !== null) reader.isOnlyPython = true
  return String(key)
}

type Read = { readonly value: unknown } | undefined

const NUMBER =
  /(0[xX](?:_?[0-9a-fA-F])+|0[oO](?:_?[0-7])+|0[bB](?:_?[01])+)|((?:\d(?:_?\d)*)?\.\d(?:_?\d)*(?:[eE][+-]?\d(?:_?\d)*)?|\d(?:_?\d)*\.?[eE][+-]?\d(?:_?\d)*|\d(?:_?\d)*\.)|(0(?:_?0)*(?![\d_])|[1-9](?:_?\d)*)/y

function readSigned(reader: Reader): Read {
  const start = reader.at
  const sign = take(reader, '-') ? -1 : take(reader, '+') ? 1 : 0
  let parentheses = 0
  if (sign !== 0) while (take(reader, '(')) parentheses++
  const number = readNumber(reader)
  if (number === undefined) {
    reader.at = start
    return undefined
  }
  if (sign !== 0) skipBlanks(reader)
  for (; parentheses > 0; parentheses--) demand(reader, ')')
  // A complex number is a sum with an imaginary one, and no other sum is a literal.
  if (match(reader, IMAGINARY) !== undefined) reader.isOnlyPython = true
  return { value: sign < 0 ? -number : number }
}

const IMAGINARY = /[ \t]*[+-][ \t]*[\d_.]+(?:[eE][+-]?[\d_]+)?[jJ](?![\p{L}\p{N}_.])/uy

function readNumber(reader: Reader): bigint | number | undefined {
  const found = match(reader, NUMBER)
  if (found === undefined) return undefined
  const [, based, float, whole = ''] = found
  const next = reader.text.charAt(reader.at)
  if (/[jJ]/.test(next)) {
    reader.at++
    reader.isOnlyPython = true
    return 0
  }
  if (/[\p{L}\p{N}_.]/u.test(next)) throw new NoLiteral()
  if (float !== undefined) return Number(float.replaceAll('_', ''))
  return BigInt((based ?? whole).replaceAll('_', ''))
}

const OPENING = /([rRuUbB]|[rR][bB]|[bB][rR])?('''|"""|'|")/y

/** Texts beside each other are one. */
function readStrings(reader: Reader): Read {
  let text: string | undefined
  for (let opened = match(reader, OPENING); opened !== undefined; opened = match(reader, OPENING)) {
    const [, prefix = '', quote = ''] = opened
    if (/b/i.test(prefix)) reader.isOnlyPython = true
    text = (text ?? '') + readString(reader, quote, /r/i.test(prefix))
    skipBlanks(reader)
  }
  return text === undefined ? undefined : { value: text }
}

function readString(reader: Reader, quote: string, isRaw: boolean): string {
  let text = ''
  while (!reader.text.startsWith(quote, reader.at)) {
    const character = reader.text.charAt(reader.at)
    if (character === '') throw new NoLiteral()
    if (character !== '\\') {
      text += character
      reader.at++
    } else if (isRaw) {
      text += reader.text.slice(reader.at, reader.at + 2)
      reader.at += 2
    } else {
      text += readEscape(reader)
    }
  }
  reader.at += quote.length
  return text
}

const ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\',
  "'": "'",
  '"': '"',
  a: '\u0007',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
}

const CODE = /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{1,3}))/y

function readEscape(reader: Reader): string {
  const code = match(reader, CODE)
  if (code !== undefined) {
    const [, short, middle, long, octal] = code
    const point = octal === undefined ? Number.parseInt(short ?? middle ?? long ?? '', 16) : Number.parseInt(octal, 8)
    if (point > 0x10ffff) throw new NoLiteral()
    return String.fromCodePoint(point)
  }
  const letter = reader.text.charAt(reader.at + 1)
  // One that is cut short is no literal at all; the name of a character nobody but Python knows.
  if (/[xuU]/.test(letter)) throw new NoLiteral()
  if (letter === 'N') reader.isOnlyPython = true
  reader.at += 2
  return ESCAPES[letter] ?? `\\${letter}`
}

const CONSTANT = /(True|False|None)(?![\p{L}\p{N}_])/uy
const CONSTANTS: Readonly<Record<string, boolean | null>> = { True: true, False: false, None: null }

function readConstant(reader: Reader): Read {
  const [, word] = match(reader, CONSTANT) ?? []
  return word === undefined ? undefined : { value: CONSTANTS[word] }
}
