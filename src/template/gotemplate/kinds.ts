import {
  isGoBytes,
  isGoList,
  isGoMap,
  type GoDuration,
  type GoEnum,
  type GoFunction,
  type GoTime,
  type GoValue,
} from '../govalue/index.ts'

type WithKind = Extract<GoValue, { readonly kind: string }>

function hasKind(value: GoValue): value is WithKind {
  return typeof value === 'object' && value !== null && !isGoList(value) && !isGoMap(value) && !isGoBytes(value)
}

/** Says whether the value is a point in time. */
export function isGoTime(value: GoValue): value is GoTime {
  return hasKind(value) && value.kind === 'time'
}

/** Says whether the value is a duration. */
export function isGoDuration(value: GoValue): value is GoDuration {
  return hasKind(value) && value.kind === 'duration'
}

/** Says whether the value is a month or weekday. */
export function isGoEnum(value: GoValue): value is GoEnum {
  return hasKind(value) && value.kind === 'enum'
}

/** Says whether the value is a function. */
export function isGoFunction(value: GoValue): value is GoFunction {
  return hasKind(value) && value.kind === 'function'
}
