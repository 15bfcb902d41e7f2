import { nearest } from '../../model/suggest.ts'
import { MissingValueError, unlessMissing } from '../../templates/errors.ts'
import { formatGoValue, guardMap, isGoList, isGoMap, memberOf, type GoValue } from '../../templates/govalue/index.ts'
import { canonicalName, shapeBelow, type Shape } from './shape.ts'

/** A value that could not be read: it may be there or not, with everything below it. */
export interface UnreadValue {
  /** The keys that lead to it from the root; none where it is everything. */
  readonly path: readonly string[]
  /** Why it could not be read, in a sentence that names what was tried. */
  readonly detail: string
  /** As that of an `Unknown`. */
  readonly needs?: 'running-system'
}

/** The roots of what templates read by name, and what one of their values is called. */
const NOUNS = { Facts: 'fact', Data: 'data key', Environ: 'environment variable', $env: 'variable' } as const

/** What strict values say when they are asked for what they do not have. */
export interface Strictness {
  readonly root: keyof typeof NOUNS
  readonly shape?: Shape | undefined
  readonly unread?: readonly UnreadValue[] | undefined
}

type Values = ReadonlyMap<GoValue, GoValue>

/**
 * Makes reading a key that a map does not have an error, at any depth: what was not written or what the machine does
 * not tell must not count as false, nothing or empty. What could not be read is another error than what does not exist.
 * Maps are guarded in place, except those with a part that could not be read: of these a copy is guarded, which cannot be
 * gone over, because its full content is unknown.
 */
export function strictMap(values: Values, strictness: Strictness): Values {
  return guardMapAt(values, { strictness, path: [], shape: strictness.shape })
}

/** Guards the names of variables alone; what is below them answers for itself. */
export function guardNames(variables: Map<GoValue, GoValue>): Values {
  const names = [...variables.keys()].map(nameOf)
  return guardMap(variables, {
    missing(key) {
      const name = nameOf(key)
      throw new MissingValueError(missingMessage('$env', [name]), { certainty: 'none', hint: missingHint(name, names) })
    },
  })
}

/** Whether there is anything at a path of strict values. Throws for what could not be read. */
export function hasPath(values: Values, path: readonly string[]): boolean {
  return unlessMissing(() => path.reduce<GoValue>(stepInto, values)) !== undefined
}

/** What is below a step of a path. Throws `MissingValueError` where there is nothing. */
export function stepInto(value: GoValue, step: string): GoValue {
  const found = isGoMap(value) ? memberOf(value, step) : isGoList(value) ? value[Number(step)] : undefined
  if (found !== undefined) return found
  throw new MissingValueError(`there is nothing at ${JSON.stringify(step)}`, { certainty: 'none' })
}

/** The same for a value at a path below the root of strict values. */
export function strictValueAt(value: GoValue, strictness: Strictness, path: readonly string[]): GoValue {
  const shape = path.reduce<Shape | undefined>(
    (above, step) => (above === undefined ? undefined : shapeBelow(above, step)),
    strictness.shape,
  )
  return guardAt(value, { strictness, path, shape })
}

/** Throws the `MissingValueError` of what could not be read, if that may be a part of what is at the path. */
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
  const guarded = value.map((item, index) => guardAt(item, below(place, String(index))))
  return guarded.every((item, index) => item === value[index]) ? value : guarded
}

function guardMapAt(map: Values, place: Place): Values {
  const entries = [...map].map(([key, value]): [GoValue, GoValue] => {
    return typeof value === 'object' && value !== null ? [key, guardAt(value, below(place, nameOf(key)))] : [key, value]
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

function below({ strictness, path, shape }: Place, step: string): Place {
  return { strictness, path: [...path, step], shape: shape === undefined ? undefined : shapeBelow(shape, step) }
}

interface MapAccess extends Place {
  readonly name: string
  /** The map as it was, which can be gone over. */
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

/** What is wrong with reading something that does not exist. */
export function missingMessage(root: Strictness['root'], path: readonly (string | number)[]): string {
  return `there is no ${NOUNS[root]} ${JSON.stringify(path.join('.'))}`
}

/** What was probably meant, or how to say that something may be missing. */
export function missingHint(name: string, known: Iterable<string>): string {
  const near = nearest(name, known)
  return near === undefined
    ? 'a lookup with a default is for what may be missing'
    : `did you mean ${JSON.stringify(near)}?`
}

/** Makes a map that answers for its keys alone. */
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
