const MONTHS = [
  ['January', 31],
  ['February', 28],
  ['March', 31],
  ['April', 30],
  ['May', 31],
  ['June', 30],
  ['July', 31],
  ['August', 31],
  ['September', 30],
  ['October', 31],
  ['November', 30],
  ['December', 31],
] as const

// A day is a text, `YYYY-MM-DD` in the Gregorian calendar, so days sort as texts.

/** The reason why a text is not a valid day; undefined if it is. */
export function whyNoDay(text: string): string | undefined {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text) ?? []
  if (year === undefined) return 'a date is written as 2026-12-31'
  const named = MONTHS[Number(month) - 1]
  if (named === undefined) return `month ${month} does not exist`
  const [name, days] = named
  const length = name === 'February' && isLeap(Number(year)) ? 29 : days
  if (Number(day) >= 1 && Number(day) <= length) return undefined
  return `${name} ${year} has ${length} days`
}

/** The day of a UTC time in the format of `toISOString`. */
export function dayOfTime(time: string): string {
  return time.slice(0, 'yyyy-mm-dd'.length)
}

/** Number of days from `from` to `to`; negative if `to` is earlier. */
export function daysBetween(from: string, to: string): number {
  return numberOf(to) - numberOf(from)
}

/** The day `count` days later; earlier if `count` is negative. */
export function daysAfter(day: string, count: number): string {
  return dayOf(numberOf(day) + count)
}

function isLeap(year: number): boolean {
  return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
}

// Every 400 years have the same number of days, so the arithmetic below is exact. Its years start in March, so that a
// leap day is the last day of its year. https://howardhinnant.github.io/date_algorithms.html
const ERA_YEARS = 400
const ERA_DAYS = 146_097

function numberOf(day: string): number {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  const marchYear = month <= 2 ? year - 1 : year
  const era = Math.floor(marchYear / ERA_YEARS)
  const yearOfEra = marchYear - era * ERA_YEARS
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + date - 1
  return era * ERA_DAYS + yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear
}

function dayOf(number: number): string {
  const era = Math.floor(number / ERA_DAYS)
  const dayOfEra = number - era * ERA_DAYS
  const leapDays = Math.floor(dayOfEra / 1460) - Math.floor(dayOfEra / 36_524) + Math.floor(dayOfEra / 146_096)
  const yearOfEra = Math.floor((dayOfEra - leapDays) / 365)
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  const marchMonth = Math.floor((5 * dayOfYear + 2) / 153)
  const date = dayOfYear - Math.floor((153 * marchMonth + 2) / 5) + 1
  const month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
  const year = era * ERA_YEARS + yearOfEra + (month <= 2 ? 1 : 0)
  return [String(year).padStart(4, '0'), ...[month, date].map((part) => String(part).padStart(2, '0'))].join('-')
}
