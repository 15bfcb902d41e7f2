import { isStringMap } from './typed-map.ts'
import type { GoDuration, GoEnum, GoFunction, GoLocation, GoTime, GoValue } from './value.ts'

export function isGoMap(value: GoValue): value is ReadonlyMap<GoValue, GoValue> {
  return value instanceof Map
}

/** Whether the value is a Go slice other than `[]byte`. */
export function isGoList(value: GoValue): value is readonly GoValue[] {
  return Array.isArray(value)
}

/** Whether the value is a `[]byte`. */
export function isGoBytes(value: GoValue): value is Uint8Array {
  return value instanceof Uint8Array
}

/** Name of a value variant: one per row of the table in `value.ts`. */
export type GoKind = TaggedValue['kind']

/** Value tagged with its variant, for narrowing in a `switch`. */
export type TaggedValue =
  | { readonly kind: 'nil'; readonly value: null }
  | { readonly kind: 'bool'; readonly value: boolean }
  | { readonly kind: 'int'; readonly value: bigint }
  | { readonly kind: 'float'; readonly value: number }
  | { readonly kind: 'string'; readonly value: string }
  | { readonly kind: 'bytes'; readonly value: Uint8Array }
  | { readonly kind: 'list'; readonly value: readonly GoValue[] }
  | { readonly kind: 'map'; readonly value: ReadonlyMap<GoValue, GoValue> }
  | { readonly kind: 'duration'; readonly value: GoDuration }
  | { readonly kind: 'time'; readonly value: GoTime }
  | { readonly kind: 'location'; readonly value: GoLocation }
  | { readonly kind: 'enum'; readonly value: GoEnum }
  | { readonly kind: 'function'; readonly value: GoFunction }

export function goKind(value: GoValue): GoKind {
  return tagGoValue(value).kind
}

export function tagGoValue(value: GoValue): TaggedValue {
  switch (typeof value) {
    case 'string':
      return { kind: 'string', value }
    case 'bigint':
      return { kind: 'int', value }
    case 'number':
      return { kind: 'float', value }
    case 'boolean':
      return { kind: 'bool', value }
    default:
      return tagObject(value)
  }
}

function tagObject(value: Exclude<GoValue, string | bigint | number | boolean>): TaggedValue {
  if (value === null) return { kind: 'nil', value }
  if (isGoList(value)) return { kind: 'list', value }
  if (isGoMap(value)) return { kind: 'map', value }
  if (isGoBytes(value)) return { kind: 'bytes', value }
  switch (value.kind) {
    case 'duration':
      return { kind: 'duration', value }
    case 'time':
      return { kind: 'time', value }
    case 'location':
      return { kind: 'location', value }
    case 'enum':
      return { kind: 'enum', value }
    case 'int64':
      return { kind: 'int', value: value.value }
    case 'function':
      return { kind: 'function', value }
  }
}

const GO_TYPE_NAMES: Readonly<Record<GoKind, string>> = {
  nil: '<nil>',
  bool: 'bool',
  int: 'int',
  float: 'float64',
  string: 'string',
  bytes: '[]uint8',
  list: '[]interface {}',
  map: 'map[string]interface {}',
  duration: 'time.Duration',
  time: 'time.Time',
  location: '*time.Location',
  enum: 'int',
  function: 'func(...interface {}) (interface {}, error)',
}

/** Type name as printed by Go's `%T`. Maps with a non-string key are `map[interface {}]interface {}`. */
export function goTypeName(value: GoValue): string {
  const tagged = tagGoValue(value)
  if (tagged.kind === 'enum') return tagged.value.type
  // An int in object form is an int64.
  if (tagged.kind === 'int' && typeof value === 'object') return 'int64'
  if (tagged.kind === 'map') return mapTypeName(tagged.value)
  return GO_TYPE_NAMES[tagged.kind]
}

function mapTypeName(map: ReadonlyMap<GoValue, GoValue>): string {
  if (isStringMap(map)) return 'map[string]string'
  for (const key of map.keys()) {
    if (typeof key !== 'string') return 'map[interface {}]interface {}'
  }
  return GO_TYPE_NAMES.map
}
