import { TemplateError } from '../errors.ts'
import type { GoLocation } from './value.ts'

/** Coordinated universal time. */
export const UTC: GoLocation = { kind: 'location', name: 'UTC', offsetSeconds: 0 }

/** The zone of this process, Go's `time.Local`. */
export const LOCAL: GoLocation = { kind: 'location', name: 'Local' }

/** Zone with a fixed offset in seconds east of UTC; `name` is its abbreviation, or empty. */
export function fixedZone(name: string, offsetSeconds: number): GoLocation {
  return { kind: 'location', name, offsetSeconds }
}

/** Go's `time.LoadLocation`: empty and `UTC`, `Local`, or an IANA name. Throws `TemplateError` for unknown names. */
export function loadLocation(name: string): GoLocation {
  if (name === '' || name === 'UTC') return UTC
  if (name === 'Local') return LOCAL
  if (!/^[A-Z][A-Za-z0-9_+-]*(?:\/[A-Z][A-Za-z0-9_+-]*)*$/i.test(name) || !isZone(name)) {
    throw new TemplateError(`unknown time zone ${name}`)
  }
  return { kind: 'location', name }
}

function isZone(name: string): boolean {
  try {
    offsetFormat(name)
    return true
  } catch (error) {
    if (error instanceof RangeError) return false
    throw error
  }
}

const offsetFormats = new Map<string, Intl.DateTimeFormat>()

function offsetFormat(zone: string): Intl.DateTimeFormat {
  const known = offsetFormats.get(zone)
  if (known !== undefined) return known
  const created = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' })
  offsetFormats.set(zone, created)
  return created
}

// The last instant of a JavaScript date; zones do not change after it.
const MAX_DATE_SECONDS = 8_640_000_000_000

function dateAt(unixSeconds: number): Date {
  return new Date(Math.max(-MAX_DATE_SECONDS, Math.min(MAX_DATE_SECONDS, unixSeconds)) * 1000)
}

function zoneNameAt(format: Intl.DateTimeFormat, unixSeconds: number): string {
  return format.formatToParts(dateAt(unixSeconds)).find((part) => part.type === 'timeZoneName')?.value ?? ''
}

/** Offset of the zone at an instant, in seconds east of UTC. */
export function offsetAt(location: GoLocation, unixSeconds: number): number {
  if (location.offsetSeconds !== undefined) return location.offsetSeconds
  if (location.name === 'Local') return -dateAt(unixSeconds).getTimezoneOffset() * 60
  const text = zoneNameAt(offsetFormat(location.name), unixSeconds)
  const match = /^GMT([+-])(\d\d):(\d\d)(?::(\d\d))?$/.exec(text)
  if (match === null) return 0
  const [, sign, hours, minutes, seconds = '0'] = match
  const size = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)
  return sign === '-' ? -size : size
}

// English locales that use zone abbreviations instead of offsets, and zones without an abbreviation in any of them.
const ABBREVIATION_LOCALES = ['en-US', 'en-GB', 'en-AU', 'en-IN', 'en-NZ', 'en-ZA']
const ABBREVIATIONS: ReadonlyMap<string, string> = new Map([
  ['Asia/Tokyo', 'JST'],
  ['Asia/Seoul', 'KST'],
  ['Asia/Shanghai', 'CST'],
  ['Asia/Taipei', 'CST'],
  ['Asia/Hong_Kong', 'HKT'],
  ['Asia/Manila', 'PST'],
  ['Asia/Jakarta', 'WIB'],
  ['Asia/Karachi', 'PKT'],
  ['Europe/Moscow', 'MSK'],
])

/** The zone's abbreviation at an instant, such as `CET`; the offset (`+03`) if missing. */
export function abbreviationAt(location: GoLocation, unixSeconds: number): string {
  if (location.offsetSeconds !== undefined) return location.name
  const zone = location.name === 'Local' ? new Intl.DateTimeFormat().resolvedOptions().timeZone : location.name
  for (const locale of ABBREVIATION_LOCALES) {
    const format = new Intl.DateTimeFormat(locale, { timeZone: zone, timeZoneName: 'short' })
    const name = zoneNameAt(format, unixSeconds)
    if (/^[A-Z]{3,5}$/.test(name)) return name
  }
  return ABBREVIATIONS.get(zone) ?? formatZoneOffset(offsetAt(location, unixSeconds))
}

function formatZoneOffset(offsetSeconds: number): string {
  const minutes = Math.trunc(Math.abs(offsetSeconds) / 60)
  const hours = String(Math.trunc(minutes / 60)).padStart(2, '0')
  const rest = minutes % 60 === 0 ? '' : String(minutes % 60).padStart(2, '0')
  return `${offsetSeconds < 0 ? '-' : '+'}${hours}${rest}`
}
