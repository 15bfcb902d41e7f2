import { parseDuration } from '../../model/duration.ts'

const DATE = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?$/

/**
 * Parses a time, in milliseconds since 1970: a duration before now (`7d`), a date, or a date with a time. UTC without a
 * zone, like all output. Undefined if invalid.
 */
export function parseSince(text: string, nowMs: number): number | undefined {
  const span = parseDuration(text)
  if (span !== undefined) return nowMs - span
  const [, time, , , zone] = DATE.exec(text) ?? []
  const moment = DATE.test(text) ? Date.parse(time !== undefined && zone === undefined ? `${text}Z` : text) : Number.NaN
  return Number.isNaN(moment) || !isOnCalendar(text) ? undefined : moment
}

/** JavaScript parses February 31 as March 3. */
function isOnCalendar(text: string): boolean {
  const date = text.slice(0, 10)
  const day = Date.parse(date)
  return !Number.isNaN(day) && new Date(day).toISOString().startsWith(date)
}

/** Describes why a time is invalid. */
export function complainOfSince(text: string): string | undefined {
  return parseSince(text, 0) === undefined ? 'must be a duration such as 7d, or a date such as 2026-11-20' : undefined
}
