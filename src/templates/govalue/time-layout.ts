/** One piece of a Go time layout: text to copy, or a field with Go's spelling of it. */
export interface LayoutPart {
  readonly kind: 'text' | 'field'
  readonly text: string
}

const FIELD =
  /January|Jan(?![a-z])|Monday|Mon(?![a-z])|MST|002|0[1-6]|2006|15|1|__2|_2(?!006)|2|3|4|5|PM|pm|[-Z]07(?::00(?::00)?|00(?:00)?)?|[.,](?:0+|9+)(?![0-9])/g

/** Splits a layout such as `2006-01-02 15:04` into fields and text, as Go's `time` package reads it. */
export function splitLayout(layout: string): LayoutPart[] {
  const parts: LayoutPart[] = []
  let end = 0
  for (const match of layout.matchAll(FIELD)) {
    if (match.index > end) parts.push({ kind: 'text', text: layout.slice(end, match.index) })
    parts.push({ kind: 'field', text: match[0] })
    end = match.index + match[0].length
  }
  if (end < layout.length) parts.push({ kind: 'text', text: layout.slice(end) })
  return parts
}

/** English month names, January first. */
export const MONTH_NAMES: readonly string[] = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
]

/** English weekday names, Sunday first. */
export const WEEKDAY_NAMES: readonly string[] = [
  'Sunday',
  'Monday',
  'Tuesday',
  'Wednesday',
  'Thursday',
  'Friday',
  'Saturday',
]

/** Go's named layouts. */
export const LAYOUTS: Readonly<
  Record<'rfc822' | 'rfc850' | 'rfc1123' | 'rfc3339' | 'rfc3339Nano' | 'dateTime' | 'date' | 'time' | 'string', string>
> = {
  rfc822: '02 Jan 06 15:04 MST',
  rfc850: 'Monday, 02-Jan-06 15:04:05 MST',
  rfc1123: 'Mon, 02 Jan 2006 15:04:05 MST',
  rfc3339: '2006-01-02T15:04:05Z07:00',
  rfc3339Nano: '2006-01-02T15:04:05.999999999Z07:00',
  dateTime: '2006-01-02 15:04:05',
  date: '2006-01-02',
  time: '15:04:05',
  string: '2006-01-02 15:04:05.999999999 -0700 MST',
}
