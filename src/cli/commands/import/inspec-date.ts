import { daysAfter, whyNoDay } from '../../../model/calendar.ts'

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

const TIME = String.raw`(?:[T ]+(\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?\s*(Z|UTC|GMT|[+-]\d{2}:?\d{2})?)?`
const NUMBERS = new RegExp(String.raw`^(\d{4})([-/.]?)(\d{1,2})\2(\d{1,2})${TIME}$`, 'i')
const DAY_FIRST = new RegExp(String.raw`^(?:[a-z]+,? +)?(\d{1,2})[- ]([a-z]{3})[a-z]*[- ,]+(\d{4})${TIME}$`, 'i')
const MONTH_FIRST = new RegExp(String.raw`^([a-z]{3})[a-z]* (\d{1,2}),? (\d{4})${TIME}$`, 'i')

/** A date with optional time and zone, as written. */
interface Written {
  readonly day: string
  readonly time: readonly (string | undefined)[]
}

/**
 * Last whole day on which an InSpec waiver with this `expiration_date` is valid: it expires at that moment, and a date
 * alone means its start. Accepts the unambiguous formats of Ruby's `Time.parse`; returns a problem for all others.
 *
 * @see https://github.com/inspec/inspec, lib/inspec/rule.rb
 */
export function lastDayOf(text: string): { readonly day: string } | { readonly problem: string } {
  const written = readDay(text.trim())
  if (written === undefined) return { problem: 'a date is written as 2026-12-31' }
  const problem = whyNoDay(written.day)
  return problem === undefined ? { day: daysAfter(inUtc(written), -1) } : { problem }
}

function readDay(text: string): Written | undefined {
  const [, year, , month, day, ...time] = NUMBERS.exec(text) ?? []
  if (year !== undefined) return { day: formatIsoDate(year, month, day), time }
  const [, dayFirst, monthWord = '', itsYear, ...itsTime] = DAY_FIRST.exec(text) ?? []
  if (itsYear !== undefined) return { day: formatIsoDate(itsYear, monthOf(monthWord), dayFirst), time: itsTime }
  const [, word = '', daySecond, lastYear, ...lastTime] = MONTH_FIRST.exec(text) ?? []
  return lastYear === undefined ? undefined : { day: formatIsoDate(lastYear, monthOf(word), daySecond), time: lastTime }
}

function formatIsoDate(year: string, month = '', day = ''): string {
  return `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
}

function monthOf(word: string): string {
  return String(MONTHS.indexOf(word.toLowerCase()) + 1)
}

/** A time without a zone is in InSpec's local time, so its date is used. */
function inUtc({ day, time: [hours, minutes = '00', , zone] }: Written): string {
  const [, sign, offsetHours, offsetMinutes] = /^([+-])(\d{2}):?(\d{2})$/.exec(zone ?? '') ?? []
  if (hours === undefined || sign === undefined) return day
  const offset = (Number(offsetHours) * 60 + Number(offsetMinutes)) * (sign === '-' ? -1 : 1)
  const minutesOfDay = Number(hours) * 60 + Number(minutes) - offset
  return daysAfter(day, Math.floor(minutesOfDay / (24 * 60)))
}
