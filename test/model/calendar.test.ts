import fc from 'fast-check'
import { expect, test } from 'vitest'
import { daysAfter, daysBetween, whyNoDay } from '../../src/model/calendar.ts'

const DAY_MS = 86_400_000

function dayOf(number: number): string {
  return new Date(number * DAY_MS).toISOString().slice(0, 10)
}

/** Days from the year 0 to 9999, counted from 1970. */
const arbitraryDay = fc.integer({ min: -719_528, max: 2_932_896 })

test('days are counted as the clock of the language counts them', () => {
  fc.assert(
    fc.property(arbitraryDay, arbitraryDay, (from, to) => {
      expect(daysBetween(dayOf(from), dayOf(to))).toBe(to - from)
      expect(daysAfter(dayOf(from), to - from)).toBe(dayOf(to))
      expect(whyNoDay(dayOf(from))).toBeUndefined()
    }),
  )
})

test.each([
  ['2026-02-29', 'February 2026 has 28 days'],
  ['2026-02-30', 'February 2026 has 28 days'],
  ['2024-02-30', 'February 2024 has 29 days'],
  ['1900-02-29', 'February 1900 has 28 days'],
  ['2000-02-30', 'February 2000 has 29 days'],
  ['2026-04-31', 'April 2026 has 30 days'],
  ['2024-04-31', 'April 2024 has 30 days'],
  ['2026-01-00', 'January 2026 has 31 days'],
  ['2026-13-01', 'month 13 does not exist'],
  ['2026-00-01', 'month 00 does not exist'],
  ['31.12.2026', 'a date is written as 2026-12-31'],
  ['2026-1-1', 'a date is written as 2026-12-31'],
  ['2026-12-31T00:00:00Z', 'a date is written as 2026-12-31'],
  ['12026-12-31', 'a date is written as 2026-12-31'],
  ['2026', 'a date is written as 2026-12-31'],
  ['', 'a date is written as 2026-12-31'],
])('%j is no day: %s', (text, reason) => {
  expect(whyNoDay(text)).toBe(reason)
})

test.each(Array.from({ length: 12 }, (_, month) => new Date(Date.UTC(2026, month + 1, 0))))(
  'the last day of a month is %s',
  (last) => {
    const day = last.toISOString().slice(0, 10)
    const name = last.toLocaleString('en', { month: 'long', timeZone: 'UTC' })
    expect(whyNoDay(day)).toBeUndefined()
    expect(whyNoDay(`${day.slice(0, 8)}32`)).toBe(`${name} 2026 has ${last.getUTCDate()} days`)
  },
)

test.each(['2024-02-29', '2024-04-30', '2000-02-29', '2026-12-31', '2026-01-01'])('%s is a day', (text) => {
  expect(whyNoDay(text)).toBeUndefined()
})
