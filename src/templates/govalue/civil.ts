import { offsetAt } from './location.ts'
import type { GoLocation, GoTime } from './value.ts'

/** Local date and time in a zone. Months count from 1, weekdays from Sunday = 0. */
export interface CivilTime {
  readonly year: number
  readonly month: number
  readonly day: number
  readonly hour: number
  readonly minute: number
  readonly second: number
  readonly nanosecond: number
  readonly weekday: number
  readonly yearDay: number
  /** Seconds east of UTC at that instant. */
  readonly offsetSeconds: number
  /** Whole seconds since 1970-01-01 UTC, rounded down. */
  readonly unixSeconds: number
}

const DAY = 86_400
const SECOND = 1_000_000_000n

/** Days from 1970-01-01 to a date of the proleptic Gregorian calendar; months and days beyond their range carry over. */
export function daysFromCivil(year: number, month: number, day: number): number {
  const monthIndex = year * 12 + (month - 1)
  const realYear = Math.floor(monthIndex / 12)
  const realMonth = monthIndex - realYear * 12 + 1
  // Years start in March here, so that the leap day is the last of its year.
  const shifted = realMonth <= 2 ? realYear - 1 : realYear
  const era = Math.floor(shifted / 400)
  const yearOfEra = shifted - era * 400
  const dayOfYear = Math.floor((153 * ((realMonth + 9) % 12) + 2) / 5)
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear
  return era * 146_097 + dayOfEra - 719_468 + (day - 1)
}

function civilFromDays(days: number): { year: number; month: number; day: number } {
  const shifted = days + 719_468
  const era = Math.floor(shifted / 146_097)
  const dayOfEra = shifted - era * 146_097
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  )
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  const monthIndex = Math.floor((5 * dayOfYear + 2) / 153)
  const month = monthIndex < 10 ? monthIndex + 3 : monthIndex - 9
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  return { year, month, day: dayOfYear - Math.floor((153 * monthIndex + 2) / 5) + 1 }
}

/** Splits nanoseconds since 1970 into whole seconds (rounded down) and the rest. */
export function splitSeconds(unixNanoseconds: bigint): { seconds: number; nanosecond: number } {
  const rest = ((unixNanoseconds % SECOND) + SECOND) % SECOND
  return { seconds: Number((unixNanoseconds - rest) / SECOND), nanosecond: Number(rest) }
}

/** Local date and time in the zone of the time. */
export function toCivil(time: GoTime): CivilTime {
  const { seconds, nanosecond } = splitSeconds(time.unixNanoseconds)
  const offsetSeconds = offsetAt(time.location, seconds)
  const local = seconds + offsetSeconds
  const days = Math.floor(local / DAY)
  const ofDay = local - days * DAY
  const date = civilFromDays(days)
  return {
    ...date,
    hour: Math.floor(ofDay / 3600),
    minute: Math.floor(ofDay / 60) % 60,
    second: ofDay % 60,
    nanosecond,
    weekday: (((days + 4) % 7) + 7) % 7,
    yearDay: days - daysFromCivil(date.year, 1, 1) + 1,
    offsetSeconds,
    unixSeconds: seconds,
  }
}

/** Input of `fromCivil`; values out of range carry over as in Go's `time.Date`. */
export type CivilParts = Pick<CivilTime, 'year' | 'month' | 'day' | 'hour' | 'minute' | 'second' | 'nanosecond'>

/** Go's `time.Date`: the instant of this local time in the zone. */
export function fromCivil(parts: CivilParts, location: GoLocation): GoTime {
  const days = daysFromCivil(parts.year, parts.month, parts.day)
  const local = days * DAY + parts.hour * 3600 + parts.minute * 60 + parts.second
  // The offset depends on the instant to compute: guess once, then correct once.
  const guess = local - offsetAt(location, local)
  const seconds = local - offsetAt(location, guess)
  return { kind: 'time', unixNanoseconds: BigInt(seconds) * SECOND + BigInt(parts.nanosecond), location }
}
