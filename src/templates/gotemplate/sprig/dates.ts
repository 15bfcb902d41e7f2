import { TemplateError } from '../../errors.ts'
import {
  formatGoDuration,
  formatGoTime,
  goDuration,
  goTypeName,
  INT64_MAX,
  INT64_MIN,
  loadLocation,
  NANOSECONDS,
  parseGoDuration,
  parseGoTime,
  UTC,
  wrapInt64,
  type GoLocation,
  type GoTime,
  type GoValue,
} from '../../govalue/index.ts'
import { fixed, renamed, type TemplateFunction } from '../functions.ts'
import { integerOf, isGoInt64, isGoTime } from '../kinds.ts'

/** Time, or seconds since 1970. sprig replaces other values by the current time, which would differ between runs. */
function timeOf(value: GoValue): GoTime {
  if (isGoTime(value)) return value
  const seconds = integerOf(value)
  if (seconds !== undefined) {
    return { kind: 'time', unixNanoseconds: seconds * NANOSECONDS.second, location: UTC }
  }
  throw new TemplateError(`expected a time or seconds since 1970, got ${value === null ? 'nil' : goTypeName(value)}`)
}

/** Zone by name; unknown zones are UTC as in sprig, and so is the local zone, which differs between hosts. */
function zoneOf(name: string): GoLocation {
  if (name === 'Local') return UTC
  try {
    return loadLocation(name)
  } catch (error) {
    if (error instanceof TemplateError) return UTC
    throw error
  }
}

function formatDate(layout: string, value: GoValue, zone: string): string {
  return formatGoTime({ ...timeOf(value), location: zoneOf(zone) }, layout)
}

/** Result of `work`, or the fallback if it throws a `TemplateError`. */
function orElse<T>(work: () => T, fallback: T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof TemplateError) return fallback
    throw error
  }
}

function addDuration(text: string, time: GoTime): GoTime {
  return { ...time, unixNanoseconds: time.unixNanoseconds + parseGoDuration(text).nanoseconds }
}

/** Go's zero time, sprig's value for an invalid date: 0001-01-01. */
const ZERO_TIME: GoTime = {
  kind: 'time',
  unixNanoseconds: -62_135_596_800n * NANOSECONDS.second,
  location: UTC,
}

/** sprig accepts text and an int64; it treats an int as 0. */
function secondsOf(value: GoValue): bigint {
  if (isGoInt64(value)) return value.value
  if (typeof value !== 'string' || !/^[+-]?[0-9]{1,40}$/.test(value)) return 0n
  const seconds = BigInt(value.replace(/^\+/, ''))
  if (seconds > INT64_MAX) return INT64_MAX
  return seconds < INT64_MIN ? INT64_MIN : seconds
}

function nanosecondsOf(value: GoValue): bigint {
  const nanoseconds = integerOf(value)
  if (nanoseconds !== undefined) return nanoseconds
  if (isGoTime(value)) throw new TemplateError('how long a time is ago depends on the clock')
  return typeof value === 'string' ? orElse(() => parseGoDuration(value).nanoseconds, 0n) : 0n
}

const ROUND_UNITS: readonly (readonly [string, bigint])[] = [
  ['y', NANOSECONDS.hour * 24n * 365n],
  ['mo', NANOSECONDS.hour * 24n * 30n],
  ['d', NANOSECONDS.hour * 24n],
  ['h', NANOSECONDS.hour],
  ['m', NANOSECONDS.minute],
  ['s', NANOSECONDS.second],
]

/** The largest unit that fits more than once… or exactly once and a bit: sprig compares with "greater than". */
function roundDuration(value: GoValue): string {
  const nanoseconds = nanosecondsOf(value)
  const size = nanoseconds < 0n ? -nanoseconds : nanoseconds
  const unit = ROUND_UNITS.find(([, length]) => size > length)
  return unit === undefined ? '0s' : `${size / unit[1]}${unit[0]}`
}

const dateInZone = fixed('dateInZone', ['string', 'any', 'string'], ([layout, value, zone]) =>
  formatDate(layout, value, zone),
)
const dateModify = fixed('dateModify', ['string', 'time'], ([text, time]) =>
  orElse(() => addDuration(text, time), time),
)
const mustDateModify = fixed('mustDateModify', ['string', 'time'], ([text, time]) => addDuration(text, time))

/** Functions on times and durations. Nothing here reads the clock or the local zone. */
export const DATE_FUNCTIONS: readonly TemplateFunction[] = [
  fixed('date', ['string', 'any'], ([layout, value]) => formatDate(layout, value, 'UTC')),
  dateInZone,
  renamed(dateInZone, 'date_in_zone'),
  fixed('htmlDate', ['any'], ([value]) => formatDate('2006-01-02', value, 'UTC')),
  fixed('htmlDateInZone', ['any', 'string'], ([value, zone]) => formatDate('2006-01-02', value, zone)),
  dateModify,
  renamed(dateModify, 'date_modify'),
  mustDateModify,
  renamed(mustDateModify, 'must_date_modify'),
  fixed('toDate', ['string', 'string'], ([layout, text]) => orElse(() => parseGoTime(text, layout), ZERO_TIME)),
  fixed('mustToDate', ['string', 'string'], ([layout, text]) => parseGoTime(text, layout)),
  fixed('unixEpoch', ['time'], ([time]) => {
    const { unixNanoseconds } = time
    const rest = ((unixNanoseconds % NANOSECONDS.second) + NANOSECONDS.second) % NANOSECONDS.second
    return String((unixNanoseconds - rest) / NANOSECONDS.second)
  }),
  fixed('duration', ['any'], ([value]) =>
    formatGoDuration(goDuration(wrapInt64(secondsOf(value) * NANOSECONDS.second))),
  ),
  fixed('durationRound', ['any'], ([value]) => roundDuration(value)),
]
