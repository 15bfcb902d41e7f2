import { TemplateError } from '../errors.ts'
import { daysFromCivil, fromCivil } from './civil.ts'
import { abbreviationAt, fixedZone, offsetAt, UTC } from './location.ts'
import { MONTH_NAMES, splitLayout, WEEKDAY_NAMES, type LayoutPart } from './time-layout.ts'
import type { GoLocation, GoTime } from './value.ts'

interface Fields {
  year: number
  month: number
  day: number
  yearDay: number
  hour: number
  minute: number
  second: number
  nanosecond: number
  half: 'am' | 'pm' | undefined
  offsetSeconds: number | undefined
  utc: boolean
  zoneName: string
}

interface Scanner {
  rest: string
  readonly fields: Fields
}

/** Mismatch, converted to Go's message by `parseGoTime`. */
type Failure = 'mismatch' | { readonly outOfRange: string }

/**
 * Go's `time.ParseInLocation`; without a zone `time.Parse`, which reads times without an offset as UTC. Throws
 * `TemplateError` with Go's text.
 */
export function parseGoTime(text: string, layout: string, location?: GoLocation): GoTime {
  const scanner: Scanner = { rest: text, fields: emptyFields() }
  const parts = splitLayout(layout)
  for (const [index, part] of parts.entries()) {
    const held = scanner.rest
    const failure =
      part.kind === 'text' ? skipText(scanner, part.text) : readField(scanner, part.text, parts[index + 1])
    if (failure === 'mismatch') throw mismatchError(text, layout, held, part.text)
    if (failure !== undefined) throw outOfRange(text, failure.outOfRange)
  }
  if (scanner.rest !== '') throw new TemplateError(`parsing time ${quote(text)}: extra text: ${quote(scanner.rest)}`)
  return assemble(scanner.fields, location ?? UTC, text)
}

function quote(text: string): string {
  return JSON.stringify(text)
}

function mismatchError(text: string, layout: string, held: string, field: string): TemplateError {
  const what = `cannot parse ${quote(held)} as ${quote(field)}`
  return new TemplateError(`parsing time ${quote(text)} as ${quote(layout)}: ${what}`)
}

function outOfRange(text: string, what: string): TemplateError {
  return new TemplateError(`parsing time ${quote(text)}: ${what} out of range`)
}

function emptyFields(): Fields {
  return {
    year: 0,
    month: -1,
    day: -1,
    yearDay: -1,
    hour: 0,
    minute: 0,
    second: 0,
    nanosecond: 0,
    half: undefined,
    offsetSeconds: undefined,
    utc: false,
    zoneName: '',
  }
}

function skipText(scanner: Scanner, text: string): Failure | undefined {
  // Spaces in the layout match any number of spaces, including none.
  for (const piece of text.match(/ +|[^ ]+/g) ?? []) {
    if (piece.startsWith(' ')) {
      if (scanner.rest !== '' && !scanner.rest.startsWith(' ')) return 'mismatch'
      scanner.rest = scanner.rest.replace(/^ +/, '')
    } else if (scanner.rest.startsWith(piece)) {
      scanner.rest = scanner.rest.slice(piece.length)
    } else {
      return 'mismatch'
    }
  }
  return undefined
}

function take(scanner: Scanner, pattern: RegExp): string | undefined {
  const found = pattern.exec(scanner.rest)?.[0]
  if (found !== undefined) scanner.rest = scanner.rest.slice(found.length)
  return found
}

type NumberField = 'year' | 'month' | 'day' | 'yearDay' | 'hour' | 'minute' | 'second'

interface NumberRule {
  readonly field: NumberField
  readonly pattern: RegExp
  readonly min: number
  readonly max: number
}

function rule(field: NumberField, pattern: RegExp, min: number, max: number): NumberRule {
  return { field, pattern, min, max }
}

const ONE_OR_TWO = /^\d\d?/
const TWO = /^\d\d/
const NUMBERS: ReadonlyMap<string, NumberRule> = new Map([
  ['2006', rule('year', /^\d{4}/, 0, 9999)],
  ['01', rule('month', TWO, 1, 12)],
  ['1', rule('month', ONE_OR_TWO, 1, 12)],
  ['02', rule('day', TWO, 0, 99)],
  ['_2', rule('day', /^ ?\d\d?/, 0, 99)],
  ['2', rule('day', ONE_OR_TWO, 0, 99)],
  ['002', rule('yearDay', /^\d{3}/, 1, 366)],
  ['__2', rule('yearDay', /^(?: \d\d| {2}\d|\d{3})/, 1, 366)],
  ['15', rule('hour', ONE_OR_TWO, 0, 23)],
  ['03', rule('hour', TWO, 0, 12)],
  ['3', rule('hour', ONE_OR_TWO, 0, 12)],
  ['04', rule('minute', TWO, 0, 59)],
  ['4', rule('minute', ONE_OR_TWO, 0, 59)],
  ['05', rule('second', TWO, 0, 59)],
  ['5', rule('second', ONE_OR_TWO, 0, 59)],
])

function readField(scanner: Scanner, field: string, next: LayoutPart | undefined): Failure | undefined {
  const number = NUMBERS.get(field)
  if (number !== undefined) return readNumber(scanner, number, next)
  switch (field) {
    case '06': {
      const digits = take(scanner, TWO)
      if (digits === undefined) return 'mismatch'
      scanner.fields.year = Number(digits) + (Number(digits) >= 69 ? 1900 : 2000)
      return undefined
    }
    case 'January':
    case 'Jan':
      return readMonthName(scanner, field === 'Jan' ? 3 : undefined)
    case 'Monday':
    case 'Mon':
      return readName(scanner, WEEKDAY_NAMES, field === 'Mon' ? 3 : undefined) === undefined ? 'mismatch' : undefined
    case 'PM':
    case 'pm':
      return readHalf(scanner, field)
    case 'MST':
      return readZoneName(scanner)
    default:
      return /^[.,]/.test(field) ? readFraction(scanner, field) : readOffset(scanner, field)
  }
}

function readNumber(scanner: Scanner, wanted: NumberRule, next: LayoutPart | undefined): Failure | undefined {
  const digits = take(scanner, wanted.pattern)
  if (digits === undefined) return 'mismatch'
  const value = Number(digits)
  if (value < wanted.min || value > wanted.max) return { outOfRange: wanted.field }
  scanner.fields[wanted.field] = value
  // A fraction after the seconds is accepted even if the layout has no fraction.
  if (wanted.field === 'second' && !/^[.,][09]/.test(next?.text ?? '')) {
    const fraction = take(scanner, /^[.,]\d+/)
    if (fraction !== undefined) setFraction(scanner, fraction)
  }
  return undefined
}

function readName(scanner: Scanner, names: readonly string[], length: number | undefined): number | undefined {
  const lower = scanner.rest.toLowerCase()
  const index = names.findIndex((name) => lower.startsWith(name.slice(0, length).toLowerCase()))
  const name = names[index]
  if (name === undefined) return undefined
  scanner.rest = scanner.rest.slice(name.slice(0, length).length)
  return index
}

function readMonthName(scanner: Scanner, length: number | undefined): Failure | undefined {
  const index = readName(scanner, MONTH_NAMES, length)
  if (index === undefined) return 'mismatch'
  scanner.fields.month = index + 1
  return undefined
}

function readHalf(scanner: Scanner, field: 'PM' | 'pm'): Failure | undefined {
  const half = take(scanner, field === 'PM' ? /^[AP]M/ : /^[ap]m/)
  if (half === undefined) return 'mismatch'
  scanner.fields.half = half.toLowerCase() === 'pm' ? 'pm' : 'am'
  return undefined
}

function readFraction(scanner: Scanner, field: string): Failure | undefined {
  // Zeros in the layout require exactly as many digits; nines accept any number, even zero.
  const pattern = field[1] === '9' ? /^(?:[.,]\d+)?/ : new RegExp(`^[.,]\\d{${field.length - 1}}`)
  const fraction = take(scanner, pattern)
  if (fraction === undefined) return 'mismatch'
  if (fraction !== '') setFraction(scanner, fraction)
  return undefined
}

function setFraction(scanner: Scanner, fraction: string): void {
  scanner.fields.nanosecond = Number(fraction.slice(1, 10).padEnd(9, '0'))
}

function readOffset(scanner: Scanner, field: string): Failure | undefined {
  if (field.startsWith('Z') && take(scanner, /^Z/) !== undefined) {
    scanner.fields.utc = true
    return undefined
  }
  const pattern = field.slice(1).replaceAll(/\d\d/g, '\\d\\d')
  const found = take(scanner, new RegExp(`^[+-]${pattern}`))
  if (found === undefined) return 'mismatch'
  const [hours = 0, minutes = 0, seconds = 0] = (found.match(/\d\d/g) ?? []).map(Number)
  if (hours > 24) return { outOfRange: 'time zone offset hour' }
  if (minutes > 60) return { outOfRange: 'time zone offset minute' }
  if (seconds > 60) return { outOfRange: 'time zone offset second' }
  const size = hours * 3600 + minutes * 60 + seconds
  scanner.fields.offsetSeconds = found.startsWith('-') ? -size : size
  return undefined
}

function readZoneName(scanner: Scanner): Failure | undefined {
  if (take(scanner, /^UTC(?![A-Z])/) !== undefined) {
    scanner.fields.utc = true
    return undefined
  }
  const name = take(scanner, /^(?:GMT[+-]\d{1,2}|[A-Z]{3,5}|[+-]\d\d)(?![A-Z])/)
  if (name === undefined) return 'mismatch'
  scanner.fields.zoneName = name
  return undefined
}

function daysInMonth(year: number, month: number): number {
  return daysFromCivil(year, month + 1, 1) - daysFromCivil(year, month, 1)
}

function assemble(fields: Fields, location: GoLocation, text: string): GoTime {
  const { year } = fields
  let { month, day, hour } = fields
  if (fields.half === 'pm' && hour < 12) hour += 12
  if (fields.half === 'am' && hour === 12) hour = 0
  if (fields.yearDay >= 0 && month < 0) {
    month = 1
    day = fields.yearDay
    if (day > daysFromCivil(year + 1, 1, 1) - daysFromCivil(year, 1, 1)) throw outOfRange(text, 'day-of-year')
  } else {
    month = month < 0 ? 1 : month
    day = day < 0 ? 1 : day
    if (day < 1 || day > daysInMonth(year, month)) throw outOfRange(text, 'day')
  }
  const parts = { ...fields, year, month, day, hour }
  if (fields.utc) return fromCivil(parts, UTC)
  if (fields.offsetSeconds !== undefined)
    return withOffset(fromCivil(parts, UTC), fields.offsetSeconds, fields, location)
  if (fields.zoneName !== '') return withZoneName(parts, fields.zoneName, location)
  return fromCivil(parts, location)
}

const SECOND = 1_000_000_000n

function withOffset(shown: GoTime, offset: number, fields: Fields, location: GoLocation): GoTime {
  const unixNanoseconds = shown.unixNanoseconds - BigInt(offset) * SECOND
  const seconds = Number(unixNanoseconds / SECOND)
  const fits =
    offsetAt(location, seconds) === offset &&
    (fields.zoneName === '' || abbreviationAt(location, seconds) === fields.zoneName)
  const zone = fits ? location : fixedZone(fields.zoneName, offset)
  return { kind: 'time', unixNanoseconds, location: zone }
}

function withZoneName(parts: Fields, name: string, location: GoLocation): GoTime {
  const inLocation = fromCivil(parts, location)
  const seconds = Number(inLocation.unixNanoseconds / SECOND)
  if (abbreviationAt(location, seconds) === name) return inLocation
  // As in Go, an unknown abbreviation is a zone of that name without an offset, except GMT+n.
  const hours = /^GMT([+-]\d+)$/.exec(name)?.[1]
  return fromCivil(parts, fixedZone(name, hours === undefined ? 0 : Number(hours) * 3600))
}
