import { exists, isObject, missing, type GjsonResult } from './result.ts'
import { nextMember, startOfValue, tokenAt, type Token } from './scan.ts'

/** Element of an array (without a key) or member of an object. */
export interface Entry {
  readonly key: GjsonResult
  readonly value: GjsonResult
}

/** Value of a whole text. White space after a container stays part of it. */
export function wholeValue(json: string): GjsonResult {
  const start = json.search(/[^\0- ]/)
  if (start === -1 || startOfValue(json, start) !== start) return missing
  if (json[start] === '{' || json[start] === '[') return { type: 'JSON', raw: json.slice(start) }
  const token = tokenAt(json, start)
  // An unclosed string extends to the end of the text.
  return token === undefined ? { type: 'String', raw: json.slice(start) } : resultOf(json, token)
}

export function resultOf(json: string, token: Token): GjsonResult {
  return { type: token.type, raw: json.slice(token.start, token.end) }
}

/** Elements or members of a value, in order. A scalar has itself as its only entry; a missing value has no entry. */
export function entriesOf(value: GjsonResult): readonly Entry[] {
  if (!exists(value)) return []
  if (value.type !== 'JSON') return [{ key: missing, value }]
  return [...(isObject(value) ? members(value.raw) : elements(value.raw))]
}

function* members(json: string): Generator<Entry> {
  let at = 1
  for (;;) {
    const member = nextMember(json, at)
    const token = member === undefined ? undefined : tokenAt(json, member.valueStart)
    if (member === undefined || token === undefined) return
    const key: GjsonResult = { type: 'String', raw: json.slice(member.keyStart, member.keyEnd) }
    yield { key, value: resultOf(json, token) }
    at = token.end
  }
}

function* elements(json: string): Generator<Entry> {
  let at = 1
  for (;;) {
    const start = startOfValue(json, at, ']')
    const token = start === undefined ? undefined : tokenAt(json, start)
    if (token === undefined) return
    yield { key: missing, value: resultOf(json, token) }
    at = token.end
  }
}
