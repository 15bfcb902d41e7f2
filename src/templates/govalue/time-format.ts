import { toCivil, type CivilTime } from './civil.ts'
import { abbreviationAt } from './location.ts'
import { LAYOUTS, MONTH_NAMES, splitLayout, WEEKDAY_NAMES } from './time-layout.ts'
import type { GoTime } from './value.ts'

/** Go's `Time.Format`. */
export function formatGoTime(time: GoTime, layout: string): string {
  const civil = toCivil(time)
  return splitLayout(layout)
    .map((part) => (part.kind === 'text' ? part.text : formatField(part.text, civil, time)))
    .join('')
}

/** Go's `Time.String` of a time without a monotonic clock reading. */
export function formatGoTimeString(time: GoTime): string {
  return formatGoTime(time, LAYOUTS.string)
}

/** Go's `time.RFC3339Nano`, the format of times in JSON. */
export function formatRfc3339(time: GoTime): string {
  return formatGoTime(time, LAYOUTS.rfc3339Nano)
}

function pad(value: number, width: number, fill: '0' | ' ' = '0'): string {
  const digits = String(Math.abs(value)).padStart(width, fill)
  return value < 0 ? `-${digits}` : digits
}

const FIELDS: ReadonlyMap<string, (civil: CivilTime) => string> = new Map<string, (civil: CivilTime) => string>([
  ['January', (civil) => MONTH_NAMES[civil.month - 1] ?? ''],
  ['Jan', (civil) => (MONTH_NAMES[civil.month - 1] ?? '').slice(0, 3)],
  ['01', (civil) => pad(civil.month, 2)],
  ['1', (civil) => String(civil.month)],
  ['Monday', (civil) => WEEKDAY_NAMES[civil.weekday] ?? ''],
  ['Mon', (civil) => (WEEKDAY_NAMES[civil.weekday] ?? '').slice(0, 3)],
  ['002', (civil) => pad(civil.yearDay, 3)],
  ['__2', (civil) => pad(civil.yearDay, 3, ' ')],
  ['02', (civil) => pad(civil.day, 2)],
  ['_2', (civil) => pad(civil.day, 2, ' ')],
  ['2', (civil) => String(civil.day)],
  ['2006', (civil) => pad(civil.year, 4)],
  ['06', (civil) => pad(((civil.year % 100) + 100) % 100, 2)],
  ['15', (civil) => pad(civil.hour, 2)],
  ['03', (civil) => pad(civil.hour % 12 || 12, 2)],
  ['3', (civil) => String(civil.hour % 12 || 12)],
  ['04', (civil) => pad(civil.minute, 2)],
  ['4', (civil) => String(civil.minute)],
  ['05', (civil) => pad(civil.second, 2)],
  ['5', (civil) => String(civil.second)],
  ['PM', (civil) => (civil.hour >= 12 ? 'PM' : 'AM')],
  ['pm', (civil) => (civil.hour >= 12 ? 'pm' : 'am')],
])

function formatField(field: string, civil: CivilTime, time: GoTime): string {
  const simple = FIELDS.get(field)
  if (simple !== undefined) return simple(civil)
  if (field === 'MST') {
    const name = abbreviationAt(time.location, civil.unixSeconds)
    return name === '' ? formatOffset('-0700', civil.offsetSeconds) : name
  }
  if (field.startsWith('.') || field.startsWith(',')) return formatFraction(field, civil.nanosecond)
  return formatOffset(field, civil.offsetSeconds)
}

function formatFraction(field: string, nanosecond: number): string {
  const digits = pad(nanosecond, 9)
    .slice(0, field.length - 1)
    .padEnd(field.length - 1, '0')
  if (field[1] === '0') return field.slice(0, 1) + digits
  const trimmed = digits.replace(/0+$/, '')
  return trimmed === '' ? '' : field.slice(0, 1) + trimmed
}

/** Writes an offset in the form the field shows: `Z07:00` (a zero offset is `Z`), `-0700`, `-07:00:00`… */
function formatOffset(field: string, offsetSeconds: number): string {
  if (field.startsWith('Z') && offsetSeconds === 0) return 'Z'
  const size = Math.abs(offsetSeconds)
  const hours = pad(Math.floor(size / 3600), 2)
  const minutes = pad(Math.floor(size / 60) % 60, 2)
  const seconds = pad(size % 60, 2)
  const colon = field.includes(':') ? ':' : ''
  const parts = [hours, minutes, seconds].slice(0, (field.replaceAll(':', '').length - 1) / 2)
  return (offsetSeconds < 0 ? '-' : '+') + parts.join(colon)
}
