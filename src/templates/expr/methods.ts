import { TemplateError } from '../errors.ts'
import { fromCivil, toCivil } from '../govalue/civil.ts'
import { formatGoDuration, goDuration, NANOSECONDS } from '../govalue/duration.ts'
import { LOCAL, UTC } from '../govalue/location.ts'
import { formatGoTime, formatGoTimeString } from '../govalue/time-format.ts'
import { MONTH_NAMES, WEEKDAY_NAMES } from '../govalue/time-layout.ts'
import type { GoDuration, GoLocation, GoTime, GoValue } from '../govalue/value.ts'
import { asIndex, asString, conversionError } from './builtins/builtin.ts'
import { BOOL, DURATION, ENUM, FLOAT, INT, LOCATION, STRING, TIME, type ExprType } from './types.ts'

/** Method of a Go type: its signature and implementation. */
export interface Method {
  readonly parameters: readonly ExprType[]
  readonly result: ExprType
  readonly call: (receiver: GoValue, args: readonly GoValue[]) => GoValue
}

type MethodTable = ReadonlyMap<string, Method>

function isKind<K extends 'time' | 'duration' | 'location'>(
  value: GoValue | undefined,
  kind: K,
): value is Extract<GoValue, { readonly kind: K }> {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === kind
}

function asTime(value: GoValue | undefined): GoTime {
  if (!isKind(value, 'time')) throw conversionError(value ?? null, 'time.Time')
  return value
}

function asDuration(value: GoValue | undefined): GoDuration {
  if (!isKind(value, 'duration')) throw conversionError(value ?? null, 'time.Duration')
  return value
}

function asLocation(value: GoValue | undefined): GoLocation {
  if (!isKind(value, 'location')) throw conversionError(value ?? null, '*time.Location')
  return value
}

function timeMethod(
  result: ExprType,
  call: (time: GoTime, args: readonly GoValue[]) => GoValue,
  parameters: readonly ExprType[] = [],
): Method {
  return { parameters, result, call: (receiver, args) => call(asTime(receiver), args) }
}

function durationMethod(
  result: ExprType,
  call: (nanoseconds: bigint, args: readonly GoValue[]) => GoValue,
  parameters: readonly ExprType[] = [],
): Method {
  return { parameters, result, call: (receiver, args) => call(asDuration(receiver).nanoseconds, args) }
}

function at(time: GoTime, unixNanoseconds: bigint): GoTime {
  return { ...time, unixNanoseconds }
}

function floorDivide(value: bigint, unit: bigint): bigint {
  return (value - (((value % unit) + unit) % unit)) / unit
}

function addDate(time: GoTime, args: readonly GoValue[]): GoTime {
  const [years = 0, months = 0, days = 0] = args.map(asIndex)
  if (Math.abs(years) + Math.abs(months) + Math.abs(days) > 1e9) throw new TemplateError('date is out of range')
  const civil = toCivil(time)
  const moved = { ...civil, year: civil.year + years, month: civil.month + months, day: civil.day + days }
  return fromCivil(moved, time.location)
}

// Go's zero time is January 1 of year 1; Truncate and Round count from there.
const ZERO_TIME = fromCivil({ year: 1, month: 1, day: 1, hour: 0, minute: 0, second: 0, nanosecond: 0 }, UTC)

function remainder(time: GoTime, unit: bigint): bigint {
  const sinceZero = time.unixNanoseconds - ZERO_TIME.unixNanoseconds
  return ((sinceZero % unit) + unit) % unit
}

function truncate(time: GoTime, unit: bigint): GoTime {
  return unit <= 0n ? time : at(time, time.unixNanoseconds - remainder(time, unit))
}

function round(time: GoTime, unit: bigint): GoTime {
  if (unit <= 0n) return time
  const rest = remainder(time, unit)
  return at(time, time.unixNanoseconds + (rest + rest < unit ? -rest : unit - rest))
}

function month(time: GoTime): GoValue {
  const value = toCivil(time).month
  return { kind: 'enum', type: 'time.Month', value: BigInt(value), name: MONTH_NAMES[value - 1] ?? '' }
}

function weekday(time: GoTime): GoValue {
  const value = toCivil(time).weekday
  return { kind: 'enum', type: 'time.Weekday', value: BigInt(value), name: WEEKDAY_NAMES[value] ?? '' }
}

/** In summer time, the offset is larger than the smaller one of mid-winter and mid-summer. */
function isDaylightSaving(time: GoTime): boolean {
  const civil = toCivil(time)
  const offsets = [1, 7].map((inMonth) => toCivil(fromCivil({ ...civil, month: inMonth, day: 1 }, time.location)))
  return civil.offsetSeconds > Math.min(...offsets.map(({ offsetSeconds }) => offsetSeconds))
}

type CivilField = 'year' | 'day' | 'hour' | 'minute' | 'second' | 'nanosecond' | 'yearDay'

function civilField(field: CivilField): Method {
  return timeMethod(INT, (time) => BigInt(toCivil(time)[field]))
}

const TIME_METHODS: MethodTable = new Map<string, Method>([
  ['Year', civilField('year')],
  ['Day', civilField('day')],
  ['Hour', civilField('hour')],
  ['Minute', civilField('minute')],
  ['Second', civilField('second')],
  ['Nanosecond', civilField('nanosecond')],
  ['YearDay', civilField('yearDay')],
  ['Month', timeMethod(ENUM, month)],
  ['Weekday', timeMethod(ENUM, weekday)],
  [
    'Add',
    timeMethod(TIME, (time, [span]) => at(time, time.unixNanoseconds + asDuration(span).nanoseconds), [DURATION]),
  ],
  ['AddDate', timeMethod(TIME, addDate, [INT, INT, INT])],
  [
    'Sub',
    timeMethod(DURATION, (time, [other]) => goDuration(time.unixNanoseconds - asTime(other).unixNanoseconds), [TIME]),
  ],
  ['After', timeMethod(BOOL, (time, [other]) => time.unixNanoseconds > asTime(other).unixNanoseconds, [TIME])],
  ['Before', timeMethod(BOOL, (time, [other]) => time.unixNanoseconds < asTime(other).unixNanoseconds, [TIME])],
  ['Equal', timeMethod(BOOL, (time, [other]) => time.unixNanoseconds === asTime(other).unixNanoseconds, [TIME])],
  [
    'Compare',
    timeMethod(
      INT,
      (time, [other]) => {
        const difference = time.unixNanoseconds - asTime(other).unixNanoseconds
        return difference === 0n ? 0n : difference < 0n ? -1n : 1n
      },
      [TIME],
    ),
  ],
  ['Format', timeMethod(STRING, (time, [layout]) => formatGoTime(time, asString(layout)), [STRING])],
  ['String', timeMethod(STRING, formatGoTimeString)],
  ['Unix', timeMethod(INT, (time) => floorDivide(time.unixNanoseconds, NANOSECONDS.second))],
  ['UnixMilli', timeMethod(INT, (time) => floorDivide(time.unixNanoseconds, NANOSECONDS.millisecond))],
  ['UnixMicro', timeMethod(INT, (time) => floorDivide(time.unixNanoseconds, NANOSECONDS.microsecond))],
  ['UnixNano', timeMethod(INT, (time) => BigInt.asIntN(64, time.unixNanoseconds))],
  ['UTC', timeMethod(TIME, (time) => ({ ...time, location: UTC }))],
  ['Local', timeMethod(TIME, (time) => ({ ...time, location: LOCAL }))],
  ['In', timeMethod(TIME, (time, [zone]) => ({ ...time, location: asLocation(zone) }), [LOCATION])],
  ['Location', timeMethod(LOCATION, (time) => time.location)],
  ['IsZero', timeMethod(BOOL, (time) => time.unixNanoseconds === ZERO_TIME.unixNanoseconds)],
  ['IsDST', timeMethod(BOOL, isDaylightSaving)],
  ['Truncate', timeMethod(TIME, (time, [unit]) => truncate(time, asDuration(unit).nanoseconds), [DURATION])],
  ['Round', timeMethod(TIME, (time, [unit]) => round(time, asDuration(unit).nanoseconds), [DURATION])],
])

function fractional(unit: bigint): Method {
  return durationMethod(FLOAT, (total) => Number(total / unit) + Number(total % unit) / Number(unit))
}

function roundDuration(total: bigint, unit: bigint): bigint {
  if (unit <= 0n) return total
  const rest = total % unit
  const size = rest < 0n ? -rest : rest
  const down = total - rest
  return size + size < unit ? down : down + (total < 0n ? -unit : unit)
}

const DURATION_METHODS: MethodTable = new Map<string, Method>([
  ['Hours', fractional(NANOSECONDS.hour)],
  ['Minutes', fractional(NANOSECONDS.minute)],
  ['Seconds', fractional(NANOSECONDS.second)],
  ['Milliseconds', durationMethod(INT, (total) => total / NANOSECONDS.millisecond)],
  ['Microseconds', durationMethod(INT, (total) => total / NANOSECONDS.microsecond)],
  ['Nanoseconds', durationMethod(INT, (total) => total)],
  ['String', durationMethod(STRING, (total) => formatGoDuration(goDuration(total)))],
  ['Abs', durationMethod(DURATION, (total) => goDuration(total < 0n ? -total : total))],
  [
    'Truncate',
    durationMethod(
      DURATION,
      (total, [unit]) => {
        const size = asDuration(unit).nanoseconds
        return size <= 0n ? goDuration(total) : goDuration(total - (total % size))
      },
      [DURATION],
    ),
  ],
  [
    'Round',
    durationMethod(DURATION, (total, [unit]) => goDuration(roundDuration(total, asDuration(unit).nanoseconds)), [
      DURATION,
    ]),
  ],
])

function nameOf(value: GoValue): string {
  return typeof value === 'object' && value !== null && 'name' in value ? value.name : ''
}

const NAMED_METHODS: MethodTable = new Map<string, Method>([
  ['String', { parameters: [], result: STRING, call: nameOf }],
])

/** Method of a kind by name; undefined if it does not exist. */
export function findMethod(kind: string, name: string): Method | undefined {
  switch (kind) {
    case 'time':
      return TIME_METHODS.get(name)
    case 'duration':
      return DURATION_METHODS.get(name)
    case 'location':
    case 'enum':
      return NAMED_METHODS.get(name)
    default:
      return undefined
  }
}
