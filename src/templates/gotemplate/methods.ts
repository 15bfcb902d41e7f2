import {
  compareGoValues,
  formatGoDuration,
  formatGoTime,
  formatGoTimeString,
  goDuration,
  listMethod,
  LOCAL,
  MONTH_NAMES,
  NANOSECONDS,
  toCivil,
  UTC,
  WEEKDAY_NAMES,
  type CivilTime,
  type GoDuration,
  type GoEnum,
  type GoTime,
  type GoValue,
} from '../govalue/index.ts'
import { fixed, type TemplateFunction } from './functions.ts'
import { isGoDuration, isGoEnum, isGoTime } from './kinds.ts'

type Methods = ReadonlyMap<string, TemplateFunction>

const ownMethods = new WeakMap<object, Methods>()

/** Adds methods to a value, like a Go type with methods. */
export function setOwnMethods(value: ReadonlyMap<GoValue, GoValue>, methods: readonly TemplateFunction[]): void {
  ownMethods.set(value, new Map(methods.map((method) => [method.name, method])))
}

/** Method of a value by name; undefined if it does not exist. */
export function findMethod(receiver: GoValue, name: string): TemplateFunction | undefined {
  if (typeof receiver !== 'object' || receiver === null) return undefined
  if (Array.isArray(receiver)) return methodOfList(receiver, name)
  if (isGoTime(receiver)) return timeMethod(receiver, name)
  if (isGoDuration(receiver)) return durationMethod(receiver, name)
  if (isGoEnum(receiver)) return name === 'String' ? fixed(name, [], () => receiver.name) : undefined
  return ownMethods.get(receiver)?.get(name)
}

function methodOfList(list: readonly GoValue[], name: string): TemplateFunction | undefined {
  const method = listMethod(list, name)
  return method === undefined ? undefined : fixed(name, [], method)
}

function enumValue(type: GoEnum['type'], value: number, name = ''): GoEnum {
  return { kind: 'enum', type, value: BigInt(value), name }
}

const CIVIL: ReadonlyMap<string, (civil: CivilTime) => GoValue> = new Map<string, (civil: CivilTime) => GoValue>([
  ['Year', (civil) => BigInt(civil.year)],
  ['Month', (civil) => enumValue('time.Month', civil.month, MONTH_NAMES[civil.month - 1])],
  ['Day', (civil) => BigInt(civil.day)],
  ['Hour', (civil) => BigInt(civil.hour)],
  ['Minute', (civil) => BigInt(civil.minute)],
  ['Second', (civil) => BigInt(civil.second)],
  ['Nanosecond', (civil) => BigInt(civil.nanosecond)],
  ['YearDay', (civil) => BigInt(civil.yearDay)],
  ['Weekday', (civil) => enumValue('time.Weekday', civil.weekday, WEEKDAY_NAMES[civil.weekday])],
])

function floorDivide(value: bigint, unit: bigint): bigint {
  const quotient = value / unit
  return value % unit < 0n ? quotient - 1n : quotient
}

const UNIX: ReadonlyMap<string, bigint> = new Map([
  ['Unix', NANOSECONDS.second],
  ['UnixMilli', NANOSECONDS.millisecond],
  ['UnixMicro', NANOSECONDS.microsecond],
  ['UnixNano', 1n],
])

const ORDERS: ReadonlyMap<string, (order: number) => GoValue> = new Map<string, (order: number) => GoValue>([
  ['After', (order) => order > 0],
  ['Before', (order) => order < 0],
  ['Equal', (order) => order === 0],
  ['Compare', (order) => BigInt(order)],
])

// Nanoseconds from year 1, Go's zero time, to 1970.
const ZERO_TIME = -62_135_596_800_000_000_000n

function timeMethod(time: GoTime, name: string): TemplateFunction | undefined {
  const civil = CIVIL.get(name)
  if (civil !== undefined) return fixed(name, [], () => civil(toCivil(time)))
  const unix = UNIX.get(name)
  if (unix !== undefined) return fixed(name, [], () => floorDivide(time.unixNanoseconds, unix))
  const order = ORDERS.get(name)
  if (order !== undefined) return fixed(name, ['time'], ([other]) => order(compareGoValues(time, other) ?? 0))
  switch (name) {
    case 'Format':
      return fixed(name, ['string'], ([layout]) => formatGoTime(time, layout))
    case 'String':
      return fixed(name, [], () => formatGoTimeString(time))
    case 'UTC':
      return fixed(name, [], () => ({ ...time, location: UTC }))
    case 'Local':
      return fixed(name, [], () => ({ ...time, location: LOCAL }))
    case 'IsZero':
      return fixed(name, [], () => time.unixNanoseconds === ZERO_TIME)
    case 'Location':
      return fixed(name, [], () => time.location)
    case 'Sub':
      return fixed(name, ['time'], ([other]) => goDuration(time.unixNanoseconds - other.unixNanoseconds))
    default:
      return undefined
  }
}

const WHOLE_UNITS: ReadonlyMap<string, bigint> = new Map([
  ['Milliseconds', NANOSECONDS.millisecond],
  ['Microseconds', NANOSECONDS.microsecond],
  ['Nanoseconds', 1n],
])

const FRACTION_UNITS: ReadonlyMap<string, bigint> = new Map([
  ['Hours', NANOSECONDS.hour],
  ['Minutes', NANOSECONDS.minute],
  ['Seconds', NANOSECONDS.second],
])

function durationMethod(duration: GoDuration, name: string): TemplateFunction | undefined {
  const { nanoseconds } = duration
  const whole = WHOLE_UNITS.get(name)
  if (whole !== undefined) return fixed(name, [], () => nanoseconds / whole)
  const unit = FRACTION_UNITS.get(name)
  if (unit !== undefined) {
    return fixed(name, [], () => Number(nanoseconds / unit) + Number(nanoseconds % unit) / Number(unit))
  }
  if (name === 'String') return fixed(name, [], () => formatGoDuration(duration))
  if (name === 'Abs') return fixed(name, [], () => goDuration(nanoseconds < 0n ? -nanoseconds : nanoseconds))
  return undefined
}

/** Copies the methods of `from` to `to`. */
export function copyMethods(from: ReadonlyMap<GoValue, GoValue>, to: ReadonlyMap<GoValue, GoValue>): void {
  const methods = ownMethods.get(from)
  if (methods !== undefined) ownMethods.set(to, methods)
}
