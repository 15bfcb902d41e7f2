import { TemplateError } from '../../errors.ts'
import {
  fixedZone,
  fromCivil,
  MONTH_NAMES,
  UTC,
  WEEKDAY_NAMES,
  type GoLocation,
  type GoTime,
} from '../../govalue/index.ts'
import { splitLayout } from '../../govalue/time-layout.ts'

interface Parsed {
  year: number
  month: number
  day: number
  yearDay: number | undefined
  hour: number
  minute: number
  second: number
  nanosecond: number
  half: 'am' | 'pm' | undefined
  location: GoLocation
}

/** Reads what a field of the layout describes from the start of `rest`; gives its length, or nothing if it is not there. */
type FieldReader = (rest: string, parsed: Parsed) => number | undefined

function digits(pattern: RegExp, store: (value: number, parsed: Parsed) => void): FieldReader {
  return (rest, parsed) => {
    const text = pattern.exec(rest)?.[0]
    if (text === undefined) return undefined
    store(Number(text.trim()), parsed)
    return text.length
  }
}

function name(names: readonly string[], store: (index: number, parsed: Parsed) => void): FieldReader {
  return (rest, parsed) => {
    const index = names.findIndex(
      (candidate) => rest.slice(0, candidate.length).toLowerCase() === candidate.toLowerCase(),
    )
    if (index < 0) return undefined
    store(index, parsed)
    return names[index]?.length
  }
}

function short(names: readonly string[]): string[] {
  return names.map((long) => long.slice(0, 3))
}

function setMonth(value: number, parsed: Parsed): void {
  parsed.month = value
}
function setDay(value: number, parsed: Parsed): void {
  parsed.day = value
}
function setYearDay(value: number, parsed: Parsed): void {
  parsed.yearDay = value
}
function setHour(value: number, parsed: Parsed): void {
  parsed.hour = value
}
function setMinute(value: number, parsed: Parsed): void {
  parsed.minute = value
}
function setSecond(value: number, parsed: Parsed): void {
  parsed.second = value
}
function ignore(): void {
  // A weekday says nothing that the date does not say.
}

const ONE_OR_TWO = /^[0-9]{1,2}/
const TWO = /^[0-9]{2}/

function half(am: string, pm: string): FieldReader {
  return (rest, parsed) => {
    const text = rest.slice(0, 2)
    if (text !== am && text !== pm) return undefined
    parsed.half = text === pm ? 'pm' : 'am'
    return 2
  }
}

const FIELDS: ReadonlyMap<string, FieldReader> = new Map<string, FieldReader>([
  ['2006', digits(/^[0-9]{4}/, (value, parsed) => void (parsed.year = value))],
  ['06', digits(TWO, (value, parsed) => void (parsed.year = value + (value >= 69 ? 1900 : 2000)))],
  ['January', name(MONTH_NAMES, (index, parsed) => setMonth(index + 1, parsed))],
  ['Jan', name(short(MONTH_NAMES), (index, parsed) => setMonth(index + 1, parsed))],
  ['01', digits(TWO, setMonth)],
  ['1', digits(ONE_OR_TWO, setMonth)],
  ['Monday', name(WEEKDAY_NAMES, ignore)],
  ['Mon', name(short(WEEKDAY_NAMES), ignore)],
  ['02', digits(TWO, setDay)],
  ['_2', digits(/^ ?[0-9]{1,2}/, setDay)],
  ['2', digits(ONE_OR_TWO, setDay)],
  ['002', digits(/^[0-9]{3}/, setYearDay)],
  ['__2', digits(/^(?:  [0-9]| [0-9]{2}|[0-9]{3})/, setYearDay)],
  ['15', digits(ONE_OR_TWO, setHour)],
  ['03', digits(TWO, setHour)],
  ['3', digits(ONE_OR_TWO, setHour)],
  ['04', digits(TWO, setMinute)],
  ['4', digits(ONE_OR_TWO, setMinute)],
  ['05', digits(TWO, setSecond)],
  ['5', digits(ONE_OR_TWO, setSecond)],
  ['PM', half('AM', 'PM')],
  ['pm', half('am', 'pm')],
  ['MST', readZoneName],
])

function readZoneName(rest: string, parsed: Parsed): number | undefined {
  const text = /^(?:UTC|GMT[+-][0-9]{1,2}|[A-Z]{3,4}|[+-][0-9]{2})/.exec(rest)?.[0]
  if (text === undefined) return undefined
  const hours = /[+-][0-9]+$/.exec(text)?.[0] ?? '0'
  // The offset of an abbreviation is not known; Go makes one up that is 0 too.
  parsed.location = text === 'UTC' ? UTC : fixedZone(text, Number(hours) * 3600)
  return text.length
}

function readOffset(field: string): FieldReader {
  const size = field.replaceAll(':', '').length - 1
  const colon = field.includes(':') ? ':' : ''
  const parts = ['([0-9]{2})', '([0-9]{2})', '([0-9]{2})'].slice(0, size / 2)
  const pattern = new RegExp(`^([+-])${parts.join(colon)}`)
  return (rest, parsed) => {
    if (field.startsWith('Z') && rest.startsWith('Z')) {
      parsed.location = UTC
      return 1
    }
    const match = pattern.exec(rest)
    if (match === null) return undefined
    const [whole, sign, hours, minutes = '0', seconds = '0'] = match
    const offset = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)
    parsed.location = offset === 0 ? UTC : fixedZone('', sign === '-' ? -offset : offset)
    return whole.length
  }
}

function readFraction(field: string): FieldReader {
  return (rest, parsed) => {
    const text = /^[.,][0-9]+/.exec(rest)?.[0]
    if (text === undefined) return field[1] === '9' ? 0 : undefined
    if (field[1] === '0' && text.length !== field.length) return undefined
    parsed.nanosecond = Number(text.slice(1, 10).padEnd(9, '0'))
    return text.length
  }
}

function readerOf(field: string): FieldReader {
  const known = FIELDS.get(field)
  if (known !== undefined) return known
  return field.startsWith('.') || field.startsWith(',') ? readFraction(field) : readOffset(field)
}

/** Length of the literal text at the start of `rest`; a space stands for any number of them. */
function skipText(rest: string, text: string): number | undefined {
  const pattern = Array.from(text.replace(/ +/g, ' '), (character) =>
    character === ' ' ? ' *' : character.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'),
  )
  return new RegExp(`^${pattern.join('')}`).exec(rest)?.[0].length
}

function quoted(text: string): string {
  return JSON.stringify(text)
}

const MAX_LENGTH = 1000

/** Go's `time.Parse`; times without a zone are UTC. Throws `TemplateError` in Go's words. */
export function parseGoTime(layout: string, text: string): GoTime {
  const fail = (reason: string): TemplateError => new TemplateError(`parsing time ${quoted(text)}${reason}`)
  if (layout.length > MAX_LENGTH || text.length > MAX_LENGTH) throw fail(': too long')
  const parsed: Parsed = {
    year: 0,
    month: 1,
    day: 1,
    yearDay: undefined,
    hour: 0,
    minute: 0,
    second: 0,
    nanosecond: 0,
    half: undefined,
    location: UTC,
  }
  let rest = text
  const parts = splitLayout(layout)
  for (const [index, part] of parts.entries()) {
    const length = part.kind === 'text' ? skipText(rest, part.text) : readerOf(part.text)(rest, parsed)
    if (length === undefined) {
      throw fail(` as ${quoted(layout)}: cannot parse ${quoted(rest)} as ${quoted(part.text)}`)
    }
    rest = rest.slice(length)
    if (part.text === '05' || part.text === '5') rest = skipFraction(rest, parts[index + 1]?.text, parsed)
  }
  if (rest !== '') throw fail(`: extra text: ${quoted(rest)}`)
  const problem = problemOf(parsed)
  if (problem !== undefined) throw fail(`: ${problem} out of range`)
  return toTime(parsed)
}

// A fraction may follow the seconds even if the layout has none.
function skipFraction(rest: string, nextField: string | undefined, parsed: Parsed): string {
  if (nextField !== undefined && /^[.,][09]/.test(nextField)) return rest
  const text = /^[.,][0-9]+/.exec(rest)?.[0] ?? ''
  if (text !== '') parsed.nanosecond = Number(text.slice(1, 10).padEnd(9, '0'))
  return rest.slice(text.length)
}

function daysIn(year: number, month: number): number {
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
  if (month === 2) return isLeap ? 29 : 28
  return [4, 6, 9, 11].includes(month) ? 30 : 31
}

function problemOf(parsed: Parsed): string | undefined {
  if (parsed.month < 1 || parsed.month > 12) return 'month'
  if (parsed.day < 1 || parsed.day > daysIn(parsed.year, parsed.month)) return 'day'
  if (parsed.hour > (parsed.half === undefined ? 23 : 12)) return 'hour'
  if (parsed.minute > 59) return 'minute'
  if (parsed.second > 59) return 'second'
  const days = daysIn(parsed.year, 2) + 337
  return parsed.yearDay !== undefined && (parsed.yearDay < 1 || parsed.yearDay > days) ? 'day-of-year' : undefined
}

function toTime(parsed: Parsed): GoTime {
  const { half: part, yearDay } = parsed
  const isNoonOrMidnight = part !== undefined && parsed.hour === 12
  const hour = (isNoonOrMidnight ? 0 : parsed.hour) + (part === 'pm' ? 12 : 0)
  const date = yearDay === undefined ? parsed : { ...parsed, month: 1, day: yearDay }
  return fromCivil({ ...date, hour }, parsed.location)
}
