import { trimBlanksOfC, withBlanksOfC } from '../blanks.ts'
import { known, unknown } from '../../model/observation.ts'
import { openLines } from '../../model/line-numbers.ts'
import {
  addedByHand,
  keyPathOf,
  type Edited,
  type EditPlace,
  type Format,
  PLAIN_VALUE,
  removedByHand,
} from './format.ts'

/** A value with its path, an unescaped JSON pointer, and its offsets in the text. */
interface Found {
  readonly path: string
  /** As the value of a setting: list items separated by spaces, empty for a map and `null`. */
  readonly value: string
  readonly start: number
  readonly end: number
  readonly isScalar: boolean
}

/** JSON: keys are paths, `/a/b` is the `b` of `a`. A value is replaced without changing any other character. @see RFC 8259 */
export const json: Format = {
  name: 'json',
  hasSections: false,
  keyOf: keyPathOf,
  parse(text, file) {
    const read = readJson(text)
    if (typeof read === 'string') return unknown('invalid', `${file}: ${read}`)
    const lineAt = openLines(text)
    return known(read.map(({ path, value, start }) => ({ section: '', key: path, value, file, line: lineAt(start) })))
  },
  set(text, place, [value = '']) {
    const read = readJson(text)
    if (typeof read === 'string') return { kind: 'refused', reason: read }
    const found = read.find(({ path }) => place.isSame({ section: '', key: path }))
    if (found === undefined) return addValue(text, place, value)
    if (!found.isScalar) return { kind: 'refused', reason: `${place.key} is not a single value: change it by hand` }
    const isText = text.charAt(found.start) === '"' || !PLAIN_VALUE.test(value)
    return {
      kind: 'edited',
      text: text.slice(0, found.start) + (isText ? JSON.stringify(value) : value) + text.slice(found.end),
    }
  },
  remove: () => removedByHand('json'),
}

/** All values of a text, or the problem. */
function readJson(text: string): readonly Found[] | string {
  if (trimBlanksOfC(text) === '') return []
  if (parseJson(text) === undefined) return 'invalid JSON'
  const cursor = { text, at: 0, found: [], depth: 0 }
  const problem = readValue(cursor, '')
  return problem ?? cursor.found
}

/** The parsed text; undefined if it is not JSON. */
function parseJson(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) }
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/** An offset in valid JSON. */
interface Cursor {
  readonly text: string
  readonly found: Found[]
  at: number
  depth: number
}

const MAX_DEPTH = 500
const STRING = /"(?:[^"\\]|\\.)*"/y
const BARE = withBlanksOfC(/[^\s,\]}]+/y)
const BETWEEN = withBlanksOfC(/[\s,:]*/y)

/** Collects the value at the cursor with all nested values, in the order of their offsets. */
function readValue(cursor: Cursor, path: string): string | undefined {
  take(cursor, BETWEEN)
  const { found, at: start } = cursor
  const opening = cursor.text.charAt(start)
  if (opening !== '{' && opening !== '[') {
    const written = take(cursor, opening === '"' ? STRING : BARE)
    const value = opening === '"' ? String(JSON.parse(written)) : written
    found.push({ path, value: written === 'null' ? '' : value, start, end: cursor.at, isScalar: true })
    return undefined
  }
  if ((cursor.depth += 1) > MAX_DEPTH) return `nested more than ${MAX_DEPTH} levels deep`
  const index = found.length
  const items: number[] = []
  const keys = new Set<string>()
  cursor.at += 1
  for (take(cursor, BETWEEN); !'}]'.includes(cursor.text.charAt(cursor.at)); take(cursor, BETWEEN)) {
    const key = opening === '{' ? String(JSON.parse(take(cursor, STRING))) : String(items.length)
    if (keys.has(key)) return `duplicate key ${path}/${key}`
    keys.add(key)
    items.push(found.length)
    const problem = readValue(cursor, `${path}/${key}`)
    if (problem !== undefined) return problem
  }
  cursor.at += 1
  cursor.depth -= 1
  const value = opening === '[' ? items.map((at) => found[at]?.value).join(' ') : ''
  found.splice(index, 0, { path, value, start, end: cursor.at, isScalar: false })
  return undefined
}

function take(cursor: Cursor, pattern: RegExp): string {
  pattern.lastIndex = cursor.at
  const [taken = ''] = pattern.exec(cursor.text) ?? []
  cursor.at += taken.length
  return taken
}

/** Adds a value if the text has the format of JSON.stringify, so that nothing else changes. */
function addValue(text: string, { key }: EditPlace, value: string): Edited {
  const indent = /^\{\n([ \t]+)/.exec(text)?.[1] ?? '  '
  const root: unknown = trimBlanksOfC(text) === '' ? {} : parseJson(text)?.value
  if (trimBlanksOfC(text) !== '' && JSON.stringify(root, null, indent) !== text.trimEnd()) return addedByHand(key)
  const names = key.split('/').slice(1)
  const last = names.pop() ?? ''
  let holder = root
  for (const name of names) {
    if (!isMap(holder)) return addedByHand(key)
    holder = Object.hasOwn(holder, name) ? holder[name] : define(holder, name, {})
  }
  if (!isMap(holder)) return addedByHand(key)
  define(holder, last, PLAIN_VALUE.test(value) ? JSON.parse(value) : value)
  const edited = JSON.stringify(root, null, indent)
  return { kind: 'edited', text: text === '' || text.endsWith('\n') ? `${edited}\n` : edited }
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Sets a member even if its name is special, such as `__proto__`. */
function define<Value>(holder: object, name: string, value: Value): Value {
  Object.defineProperty(holder, name, { value, writable: true, enumerable: true, configurable: true })
  return value
}
