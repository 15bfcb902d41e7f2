/** Values of the fields of a crontab entry, ascending. Sunday is 0. */
export interface CronTimes {
  readonly minutes: readonly number[]
  readonly hours: readonly number[]
  readonly days: readonly number[]
  readonly months: readonly number[]
  readonly weekdays: readonly number[]
}

/** Translation of a calendar expression to cron, or the reason why it is impossible. */
export type CronTranslation =
  { readonly kind: 'times'; readonly times: CronTimes } | { readonly kind: 'impossible'; readonly reason: string }

const SHORTHANDS: Readonly<Record<string, string>> = {
  minutely: '*-*-* *:*:00',
  hourly: '*-*-* *:00:00',
  daily: '*-*-* 00:00:00',
  weekly: 'Mon *-*-* 00:00:00',
  monthly: '*-*-01 00:00:00',
  quarterly: '*-01,04,07,10-01 00:00:00',
  semiannually: '*-01,07-01 00:00:00',
  'semi-annually': '*-01,07-01 00:00:00',
  biannually: '*-01,07-01 00:00:00',
  'bi-annually': '*-01,07-01 00:00:00',
  yearly: '*-01-01 00:00:00',
  annually: '*-01-01 00:00:00',
  anually: '*-01-01 00:00:00',
}

/** In systemd's order, which applies to ranges. */
const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']

interface Range {
  readonly from: number
  readonly to: number
}

const MINUTES: Range = { from: 0, to: 59 }
const HOURS: Range = { from: 0, to: 23 }
const DAYS: Range = { from: 1, to: 31 }
const MONTHS: Range = { from: 1, to: 12 }
const ALL_WEEKDAYS = [0, 1, 2, 3, 4, 5, 6]

class Impossible extends Error {}

/**
 * Translates a systemd calendar event to cron, which has no seconds, years, time zones, or weekdays combined with days
 * of the month. @see systemd.time(7), section "Calendar Events"; crontab(5)
 */
export function translateCalendar(expression: string): CronTranslation {
  try {
    return { kind: 'times', times: read(expression.trim()) }
  } catch (error) {
    if (error instanceof Impossible) return { kind: 'impossible', reason: error.message }
    throw error
  }
}

function read(expression: string): CronTimes {
  const [head = '', ...tail] = expression.split(/\s+/)
  const words = [...(SHORTHANDS[head.toLowerCase()] ?? head).split(' '), ...tail]
  const [first = ''] = words
  const weekdays = /^[a-z]/i.test(first) ? readWeekdays(words.shift() ?? '') : ALL_WEEKDAYS
  const [date, time, ...rest] = separate(words)
  if (rest.length > 0) throw new Impossible(`cron does not support "${rest.join(' ')}", only the time zone of the host`)
  const [months, days] = readDate(date ?? '*-*-*')
  const [hours, minutes] = readTime(time ?? '00:00:00')
  if (weekdays.length < ALL_WEEKDAYS.length && days.length < values('*', DAYS).length) {
    throw new Impossible('cron cannot require a weekday and a day of the month together')
  }
  return { minutes, hours, days, months, weekdays }
}

/** Optional date and time, and the rest. */
function separate(words: readonly string[]): readonly (string | undefined)[] {
  const [first, ...others] = words
  if (first === undefined) return []
  return first.includes(':') ? [undefined, ...words] : [first, ...others]
}

function readWeekdays(text: string): readonly number[] {
  const parts = text.replace(/,$/, '').split(',')
  const found = parts.flatMap((part) => {
    const [from = '', to = from] = part.split(/\.\.|-/)
    const [start, end] = [weekday(from), weekday(to)]
    if (end < start) throw new Impossible(`"${part}" runs backwards`)
    return WEEKDAYS.slice(start, end + 1).map((_, index) => (start + index + 1) % 7)
  })
  return sortUnique(found)
}

function weekday(name: string): number {
  const index = WEEKDAYS.findIndex((day) => [day, day.slice(0, 3)].includes(name.toLowerCase()))
  if (index < 0) throw new Impossible(`"${name}" is not a weekday`)
  return index
}

function readDate(text: string): readonly [months: readonly number[], days: readonly number[]] {
  if (text.includes('~')) throw new Impossible('cron does not count days from the end of the month')
  const [days = '', months = '', years = '*', ...more] = text.split('-').toReversed()
  if (text.startsWith('@') || months === '' || more.length > 0) throw new Impossible(`"${text}" is not a date`)
  if (years !== '*') throw new Impossible('cron does not support years')
  return [values(months, MONTHS), values(days, DAYS)]
}

function readTime(text: string): readonly [hours: readonly number[], minutes: readonly number[]] {
  const [hours = '', minutes, seconds = '00', ...more] = text.split(':')
  if (minutes === undefined || more.length > 0) throw new Impossible(`"${text}" is not a time`)
  if (!/^0+(\.0*)?$/.test(seconds)) throw new Impossible('cron does not support seconds')
  return [values(hours, HOURS), values(minutes, MINUTES)]
}

/** Values of `*`, or of a list of numbers and ranges `1..5`, each with an optional step after a slash. */
function values(text: string, { from, to }: Range): readonly number[] {
  if (text === '*') return rangeSteps({ from, to }, 1)
  const found = text.split(',').flatMap((part) => {
    const [, first, last, step] = /^(\d+)(?:\.\.(\d+))?(?:\/(\d+))?$/.exec(part) ?? []
    if (first === undefined) throw new Impossible(`cannot read "${text}"`)
    const start = Number(first)
    const end = last === undefined ? (step === undefined ? start : to) : Number(last)
    const leadsNowhere = step !== undefined && last === undefined && start + Number(step) > to
    if (start < from || end > to || end < start || step === '0' || leadsNowhere) {
      throw new Impossible(`"${part}" is not between ${from} and ${to}`)
    }
    return rangeSteps({ from: start, to: end }, Number(step ?? 1))
  })
  return sortUnique(found)
}

function rangeSteps({ from, to }: Range, step: number): readonly number[] {
  return Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, index) => from + index * step)
}

function sortUnique(numbers: readonly number[]): readonly number[] {
  return [...new Set(numbers)].toSorted((a, b) => a - b)
}

/** The five fields of a crontab entry. @see crontab(5) */
export function cronFields({ minutes, hours, days, months, weekdays }: CronTimes): string {
  const all = rangeSteps({ from: 0, to: 6 }, 1)
  return [
    field(minutes, values('*', MINUTES)),
    field(hours, values('*', HOURS)),
    field(days, values('*', DAYS)),
    field(months, values('*', MONTHS)),
    field(weekdays, all),
  ].join(' ')
}

/** `*`, a step over the whole range, or a list with ranges. */
function field(wanted: readonly number[], all: readonly number[]): string {
  if (wanted.length === all.length) return '*'
  const [first = 0, second = first] = wanted
  const step = second - first
  const stepped = all.filter((_, index) => step > 0 && index % step === 0)
  if (wanted.length > 2 && step > 1 && stepped.join() === wanted.join()) return `*/${step}`
  return formatRanges(wanted).join(',')
}

function formatRanges(numbers: readonly number[]): readonly string[] {
  const found: { from: number; to: number }[] = []
  for (const number of numbers) {
    const last = found.at(-1)
    if (last?.to === number - 1) last.to = number
    else found.push({ from: number, to: number })
  }
  return found.map(({ from, to }) => (from === to ? String(from) : to === from + 1 ? `${from},${to}` : `${from}-${to}`))
}
