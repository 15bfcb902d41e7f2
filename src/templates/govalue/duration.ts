import { TemplateError } from '../errors.ts'
import { INT64_MAX, INT64_MIN, wrapInt64 } from './int64.ts'
import type { GoDuration } from './value.ts'

/** Nanoseconds of the units Go knows. */
export const NANOSECONDS: Readonly<Record<'microsecond' | 'millisecond' | 'second' | 'minute' | 'hour', bigint>> = {
  microsecond: 1_000n,
  millisecond: 1_000_000n,
  second: 1_000_000_000n,
  minute: 60_000_000_000n,
  hour: 3_600_000_000_000n,
}

/** Makes a duration; the count wraps around at int64 as in Go. */
export function goDuration(nanoseconds: bigint): GoDuration {
  return { kind: 'duration', nanoseconds: wrapInt64(nanoseconds) }
}

function decimal(value: bigint, unit: bigint): string {
  const fraction = (value % unit)
    .toString()
    .padStart(unit.toString().length - 1, '0')
    .replace(/0+$/, '')
  return fraction === '' ? `${value / unit}` : `${value / unit}.${fraction}`
}

/** Go's `time.Duration.String`: `1h30m0s`, `1.5s`, `100ms`, `0s`. */
export function formatGoDuration(duration: GoDuration): string {
  const sign = duration.nanoseconds < 0n ? '-' : ''
  const total = duration.nanoseconds < 0n ? -duration.nanoseconds : duration.nanoseconds
  if (total === 0n) return '0s'
  if (total < NANOSECONDS.microsecond) return `${sign}${total}ns`
  if (total < NANOSECONDS.millisecond) return `${sign}${decimal(total, NANOSECONDS.microsecond)}µs`
  if (total < NANOSECONDS.second) return `${sign}${decimal(total, NANOSECONDS.millisecond)}ms`
  const seconds = `${decimal(total % NANOSECONDS.minute, NANOSECONDS.second)}s`
  if (total < NANOSECONDS.minute) return sign + seconds
  const minutes = `${(total / NANOSECONDS.minute) % 60n}m${seconds}`
  return total < NANOSECONDS.hour ? sign + minutes : `${sign}${total / NANOSECONDS.hour}h${minutes}`
}

const UNITS: ReadonlyMap<string, bigint> = new Map([
  ['ns', 1n],
  ['us', NANOSECONDS.microsecond],
  ['µs', NANOSECONDS.microsecond],
  ['μs', NANOSECONDS.microsecond],
  ['ms', NANOSECONDS.millisecond],
  ['s', NANOSECONDS.second],
  ['m', NANOSECONDS.minute],
  ['h', NANOSECONDS.hour],
])

/** Go's `time.ParseDuration`: `1h30m`, `-1.5s`, `0`. Throws `TemplateError` with Go's text. */
export function parseGoDuration(text: string): GoDuration {
  const invalid = (what: string): TemplateError => new TemplateError(`time: ${what} ${JSON.stringify(text)}`)
  const negative = text.startsWith('-')
  const body = negative || text.startsWith('+') ? text.slice(1) : text
  if (body === '0') return goDuration(0n)
  if (body === '') throw invalid('invalid duration')
  let total = 0n
  const part = /([0-9]*)(?:\.([0-9]*))?([^0-9.]*)/y
  while (part.lastIndex < body.length) {
    const [, whole = '', fraction = '', unitName = ''] = part.exec(body) ?? []
    if ((whole === '' && fraction === '') || whole.length > 30) throw invalid('invalid duration')
    if (unitName === '') throw invalid('missing unit in duration')
    const unit = UNITS.get(unitName)
    if (unit === undefined) throw invalid(`unknown unit ${JSON.stringify(unitName)} in duration`)
    const digits = fraction.slice(0, 30)
    total += BigInt(whole || '0') * unit + (BigInt(digits || '0') * unit) / 10n ** BigInt(digits.length)
    if (total > INT64_MAX && !(negative && total === -INT64_MIN)) throw invalid('invalid duration')
  }
  return goDuration(negative ? -total : total)
}
