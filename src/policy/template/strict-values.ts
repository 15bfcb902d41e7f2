import { findNearest } from '../../model/suggest.ts'
import { MissingValueError, unlessMissing } from '../../templates/errors.ts'
import { formatGoValue, guardMap, isGoList, isGoMap, memberOf, type GoValue } from '../../templates/govalue/index.ts'
import { canonicalName, shapeBelow, type Shape } from './shape.ts'

/** An unreadable value: it may exist or not, with everything below it. */
export interface UnreadValue {
  /** Its path from the root; empty for the whole root. */
  readonly path: readonly string[]
  /** Why it could not be read, in a sentence that names the value. */
  readonly detail: string
  readonly needs?: 'running-system'
}

/** The roots of named values, with the noun for one of their values. */
const NOUNS = { Facts: 'fact', Data: 'data key', Environ: 'environment variable', $env: 'variable' } as const

/** How strict values describe missing members. */
export interface Strictness {
  readonly root: keyof typeof NOUNS
  readonly shape?: Shape | undefined
  readonly unread?: readonly UnreadValue[] | undefined
}

type Values = ReadonlyMap<GoValue, GoValue>

/**
 * Makes reading a missing key of a map an error, at any depth: an undefined name or a value that the machine does not
 * provide must not count as false, null or empty. Unreadable values have an error of their own. Maps are guarded in
 * place; a map with an unreadable part is copied, and the copy cannot be iterated, because its full content is unknown.
 */
export function strictMap(values: Values, strictness: Strictness): Values {
  return guardMapAt(values, { strictness, path: [], shape: strictness.shape })
}

/** Guards only the names of variables; their values have their own guards. */
export function guardNames(variables: Map<GoValue, GoValue>): Values {
  const names = [...variables.keys()].map(nameOf)
  return guardMap(variables, {
    missing(key) {
      const name = nameOf(key)
      throw new MissingValueError(missingMessage('$env', [name]), { certainty: 'none', hint: missingHint(name, names) })
    },
  })
}

/** Whether a path in strict values exists. Throws for an unreadable value. */
export function hasPath(values: Values, path: readonly string[]): boolean {
  return unlessMissing(() => path.reduce<GoValue>(stepInto, values)) !== undefined
}

/** The member at a step of a path. Throws a `MissingValueError` if it does not exist. */
export function stepInto(value: GoValue, step: string): GoValue {
  const found = isGoMap(value) ? memberOf(value, step) : isGoList(value) ? value[Number(step)] : undefined
  if (found !== undefined) return found
  throw new MissingValueError(`no value at ${JSON.stringify(step)}`, { certainty: 'none' })
}

/** Guards a value at a path below the root of strict values. */
export function strictValueAt(value: GoValue, strictness: Strictness, path: readonly string[]): GoValue {
  const shape = path.reduce<Shape | undefined>(
    (above, step) => (above === undefined ? undefined : shapeBelow(above, step)),
    strictness.shape,
  )
  return guardAt(value, { strictness, path, shape })
}

/** Throws the `MissingValueError` of an unreadable value that may be at, above or below the path. */
export function assertComplete({ unread = [] }: Strictness, path: readonly string[]): void {
  const part = unread.find((each) => startsWith(each.path, path) || startsWith(path, each.path))
  if (part !== undefined) throw notRead(part)
}

interface Place {
  readonly strictness: Strictness
  readonly path: readonly string[]
  readonly shape: Shape | undefined
}

function guardAt(value: GoValue, place: Place): GoValue {
  if (isGoMap(value)) return guardMapAt(value, place)
  if (!isGoList(value)) return value
  const guarded = value.map((item, index) => guardAt(item, placeBelow(place, String(index))))
  return guarded.every((item, index) => item === value[index]) ? value : guarded
}

function guardMapAt(map: Values, place: Place): Values {
  const entries = [...map].map(([key, value]): [GoValue, GoValue] => {
    return typeof value === 'object' && value !== null
      ? [key, guardAt(value, placeBelow(place, nameOf(key)))]
      : [key, value]
  })
  const { strictness, path } = place
  const part = strictness.unread?.find((each) => startsWith(each.path, path) || startsWith(path, each.path))
  const isSame = part === undefined && entries.every(([key, value]) => map.get(key) === value)
  const own = isSame ? map : new Map(entries)
  guardMap(own, {
    missing: (key) => valueOfMissing(own, { ...place, name: nameOf(key), all: map }),
    has: (key) => hasMissing(own, { ...place, name: nameOf(key), all: map }),
  })
  return part === undefined ? own : withoutEntries(own, part)
}

function placeBelow({ strictness, path, shape }: Place, step: string): Place {
  return { strictness, path: [...path, step], shape: shape === undefined ? undefined : shapeBelow(shape, step) }
}

interface MapAccess extends Place {
  readonly name: string
  /** The original map, which can be iterated. */
  readonly all: Values
}

function valueOfMissing(map: Values, { strictness, path, shape, name, all }: MapAccess): GoValue {
  const canonical = canonicalName(shape, name)
  const value = map.get(canonical)
  if (value !== undefined) return value
  assertRead(strictness, [...path, canonical])
  const known = new Set([...all.keys()].map(nameOf))
  if (shape?.kind === 'map') for (const member of shape.members.keys()) known.add(member)
  known.delete(canonical)
  throw new MissingValueError(missingMessage(strictness.root, [...path, name]), {
    certainty: 'none',
    hint: missingHint(name, known),
  })
}

function hasMissing(map: Values, { strictness, path, shape, name }: MapAccess): boolean {
  const canonical = canonicalName(shape, name)
  if (map.has(canonical)) return true
  assertRead(strictness, [...path, canonical])
  return false
}

function assertRead({ unread = [] }: Strictness, path: readonly string[]): void {
  const part = unread.find((each) => startsWith(path, each.path))
  if (part !== undefined) throw notRead(part)
}

function notRead({ detail, needs }: UnreadValue): MissingValueError {
  return new MissingValueError(detail, { certainty: 'unknown', ...(needs !== undefined && { needs }) })
}

export function missingMessage(root: Strictness['root'], path: readonly (string | number)[]): string {
  return `no ${NOUNS[root]} ${JSON.stringify(path.join('.'))}`
}

/** A suggestion for a missing name, or advice to use a default. */
export function missingHint(name: string, known: Iterable<string>): string {
  const near = findNearest(name, known)
  return near === undefined
    ? 'use a lookup with a default for optional values'
    : `did you mean ${JSON.stringify(near)}?`
}

/** Makes a map that can only be read by key. */
function withoutEntries(map: Values, part: UnreadValue): Values {
  const refuse = (): never => {
    throw notRead(part)
  }
  const whole = ['entries', 'keys', 'values', 'forEach', Symbol.iterator]
  for (const name of whole) Object.defineProperty(map, name, { value: refuse })
  return Object.defineProperty(map, 'size', { get: refuse })
}

function startsWith(path: readonly string[], start: readonly string[]): boolean {
  return start.every((step, index) => path[index] === step)
}

function nameOf(key: GoValue): string {
  return typeof key === 'string' ? key : formatGoValue(key)
}
