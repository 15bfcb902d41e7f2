import {
  isGoBytes,
  isGoList,
  isGoMap,
  wrapInt64,
  type GoDuration,
  type GoEnum,
  type GoFunction,
  type GoInt64,
  type GoTime,
  type GoValue,
} from '../govalue/index.ts'

type WithKind = Extract<GoValue, { readonly kind: string }>

function hasKind(value: GoValue): value is WithKind {
  return typeof value === 'object' && value !== null && !isGoList(value) && !isGoMap(value) && !isGoBytes(value)
}

export function isGoTime(value: GoValue): value is GoTime {
  return hasKind(value) && value.kind === 'time'
}

export function isGoDuration(value: GoValue): value is GoDuration {
  return hasKind(value) && value.kind === 'duration'
}

/** Whether the value is a month or weekday. */
export function isGoEnum(value: GoValue): value is GoEnum {
  return hasKind(value) && value.kind === 'enum'
}

/** Whether the value is an int64, which does not fit an int parameter. */
export function isGoInt64(value: GoValue): value is GoInt64 {
  return hasKind(value) && value.kind === 'int64'
}

/** Value of an int or int64; undefined for other types. */
export function integerOf(value: GoValue | undefined): bigint | undefined {
  if (typeof value === 'bigint') return value
  return value !== undefined && isGoInt64(value) ? value.value : undefined
}

/** Creates an int64, wrapped at 64 bits like Go's arithmetic. */
export function goInt64(value: bigint): GoInt64 {
  return { kind: 'int64', value: wrapInt64(value) }
}

export function isGoFunction(value: GoValue): value is GoFunction {
  return hasKind(value) && value.kind === 'function'
}
