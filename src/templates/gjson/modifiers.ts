import { encodeGoJsonString } from '../govalue/index.ts'
import { entriesOf, wholeValue, type Entry } from './document.ts'
import { trim } from './path.ts'
import { prettyJson, uglyJson } from './pretty.ts'
import { asBool, asString, exists, isArray, isObject, type GjsonResult } from './result.ts'
import type { Evaluate } from './search.ts'
import { charge, runNested, type Work } from './work.ts'

export interface ModifierTools {
  readonly work: Work
  readonly evaluate: Evaluate
}

/** Converts the text of one JSON value to another. The argument is the text after the colon, empty if absent. */
export type Modifier = (json: string, argument: string, tools: ModifierTools) => string

/** Modifiers by name, without the `@`. */
export const modifiers: ReadonlyMap<string, Modifier> = new Map<string, Modifier>([
  ['pretty', (json, argument, { work }) => prettyJson(json, argument, work)],
  ['ugly', uglyJson],
  ['reverse', reverse],
  ['this', (json) => json],
  ['flatten', flatten],
  ['join', join],
  ['valid', (json) => (isValidJson(json) ? json : '')],
  ['keys', keys],
  ['values', values],
  ['tostr', (json) => encodeGoJsonString(json)],
  ['fromstr', (json) => (isValidJson(json) ? asString(wholeValue(json)) : '')],
  ['group', group],
  ['dig', dig],
])

/** Whether the text is one complete JSON value. */
export function isValidJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch (error) {
    if (error instanceof SyntaxError) return false
    throw error
  }
}

function reverse(json: string): string {
  const value = wholeValue(json)
  if (!isArray(value) && !isObject(value)) return json
  const entries = entriesOf(value).toReversed()
  if (isArray(value)) return `[${entries.map((entry) => entry.value.raw).join(',')}]`
  return `{${entries.map(memberText).join(',')}}`
}

function memberText({ key, value }: Entry): string {
  return `${key.raw}:${value.raw}`
}

function flatten(json: string, argument: string, { work }: ModifierTools): string {
  const value = wholeValue(json)
  return isArray(value) ? flattenArray(value, hasOption(argument, 'deep') ? 'deep' : 'once', work) : json
}

function flattenArray(array: GjsonResult, mode: 'deep' | 'once', work: Work): string {
  charge(work, array.raw.length)
  const parts = entriesOf(array).map(({ value }) => {
    if (!isArray(value)) return value.raw
    return unwrap(mode === 'deep' ? runNested(work, () => flattenArray(value, mode, work)) : value.raw)
  })
  return `[${parts
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .join(',')}]`
}

/** The text between the brackets of a container. */
function unwrap(json: string): string {
  const text = trim(json)
  return text.length >= 2 && (text.startsWith('[') || text.startsWith('{')) ? text.slice(1, -1) : text
}

/** Whether the modifier's argument is an object with the option set. */
function hasOption(argument: string, name: string): boolean {
  let isSet = false
  for (const { key, value } of entriesOf(wholeValue(argument))) {
    if (asString(key) === name) isSet = asBool(value)
  }
  return isSet
}

function join(json: string, argument: string): string {
  const array = wholeValue(json)
  if (!isArray(array)) return json
  const objects = entriesOf(array)
    .map((entry) => entry.value)
    .filter(isObject)
  if (hasOption(argument, 'preserve')) return `{${objects.map((object) => unwrap(object.raw)).join(',')}}`
  const members = new Map<string, Entry>()
  for (const entry of objects.flatMap(entriesOf)) {
    const name = asString(entry.key)
    members.set(name, { key: members.get(name)?.key ?? entry.key, value: entry.value })
  }
  return `{${[...members.values()].map(memberText).join(',')}}`
}

function keys(json: string): string {
  const value = wholeValue(json)
  if (!exists(value)) return '[]'
  return `[${entriesOf(value)
    .map((entry) => (isObject(value) ? entry.key.raw : 'null'))
    .join(',')}]`
}

function values(json: string): string {
  const value = wholeValue(json)
  if (!exists(value)) return '[]'
  if (isArray(value)) return json
  return `[${entriesOf(value)
    .map((entry) => entry.value.raw)
    .join(',')}]`
}

/** Converts an object of arrays to an array of objects: the n-th object has the n-th element of every array. */
function group(json: string): string {
  const object = wholeValue(json)
  if (!isObject(object)) return ''
  const rows: string[][] = []
  for (const column of entriesOf(object)) {
    if (!isArray(column.value)) continue
    for (const [position, element] of entriesOf(column.value).entries()) {
      const row = (rows[position] ??= [])
      row.push(memberText({ key: column.key, value: element.value }))
    }
  }
  return `[${rows.map((row) => `{${row.join(',')}}`).join(',')}]`
}

/** Collects the values that the path selects in the value and all its descendants, outermost first. */
function dig(json: string, path: string, tools: ModifierTools): string {
  const found: string[] = []
  digInto(wholeValue(json), path, tools, found)
  return `[${found.join(',')}]`
}

function digInto(value: GjsonResult, path: string, tools: ModifierTools, found: string[]): void {
  charge(tools.work, value.raw.length)
  runNested(tools.work, () => {
    const result = tools.evaluate(value.raw, path)
    if (exists(result)) found.push(result.raw)
    if (!isArray(value) && !isObject(value)) return
    for (const entry of entriesOf(value)) digInto(entry.value, path, tools, found)
  })
}
