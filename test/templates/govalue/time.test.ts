import fc from 'fast-check'
import { expect, test } from 'vitest'
import { TemplateError } from '../../../src/templates/errors.ts'
import {
  abbreviationAt,
  fixedZone,
  formatGoDuration,
  formatGoTime,
  formatGoTimeString,
  formatRfc3339,
  fromCivil,
  goDuration,
  LAYOUTS,
  loadLocation,
  LOCAL,
  offsetAt,
  parseGoDuration,
  parseGoTime,
  toCivil,
  UTC,
} from '../../../src/templates/govalue/index.ts'

// Examples of Go's time package documentation and arithmetic on them.
test.each([
  ['1h30m', '1h30m0s'],
  ['1.5h', '1h30m0s'],
  ['-1.5s', '-1.5s'],
  ['+5s', '5s'],
  ['0', '0s'],
  ['100ms', '100ms'],
  ['1500us', '1.5ms'],
  ['1µs', '1µs'],
  ['7ns', '7ns'],
  ['1h15m30.918s', '1h15m30.918s'],
  ['.5m', '30s'],
  ['-9223372036854775808ns', '-2562047h47m16.854775808s'],
])('the duration %s prints as %s', (text, printed) => {
  expect(formatGoDuration(parseGoDuration(text))).toBe(printed)
})

test.each([
  ['', 'time: invalid duration ""'],
  ['x', 'time: invalid duration "x"'],
  ['3', 'time: missing unit in duration "3"'],
  ['3d', 'time: unknown unit "d" in duration "3d"'],
  ['9223372036854775808ns', 'time: invalid duration "9223372036854775808ns"'],
  ['1h ', 'time: unknown unit "h " in duration "1h "'],
])('%j is no duration', (text, message) => {
  expect(() => parseGoDuration(text)).toThrow(new TemplateError(message))
})

test('printed durations read back as the same duration', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (nanoseconds) => {
      expect(parseGoDuration(formatGoDuration(goDuration(nanoseconds)))).toEqual(goDuration(nanoseconds))
    }),
  )
})

const berlin = loadLocation('Europe/Berlin')
const parts = { year: 2006, month: 1, day: 2, hour: 15, minute: 4, second: 5, nanosecond: 123_400_000 }

// The reference time of Go's layouts in a zone of its own.
test.each([
  ['Mon Jan _2 15:04:05 2006', 'Mon Jan  2 15:04:05 2006'],
  ['Monday, 02-Jan-06 15:04:05 MST', 'Monday, 02-Jan-06 15:04:05 CET'],
  ['2006-01-02T15:04:05Z07:00', '2006-01-02T15:04:05+01:00'],
  ['2006-01-02T15:04:05.999999999Z0700', '2006-01-02T15:04:05.1234+0100'],
  ['3:04PM', '3:04PM'],
  ['03:4:5 pm', '03:4:5 pm'],
  ['.000 ,00 .999', '.123 ,12 .123'],
  ['002 __2 1/2/06', '002   2 1/2/06'],
  ['-07 -07:00:00 -070000 Z07', '+01 +01:00:00 +010000 +01'],
  ['January Jane Monx', 'January Jane Monx'],
  ['_2006', '_2006'],
])('the layout %j', (layout, expected) => {
  expect(formatGoTime(fromCivil(parts, berlin), layout)).toBe(expected)
})

test('zones have Go names, offsets and errors', () => {
  const winter = 1_700_000_000
  const zones = ['America/New_York', 'Asia/Tokyo', 'America/Sao_Paulo', 'Asia/Kolkata', 'Asia/Kathmandu']
  expect(zones.map((name) => abbreviationAt(loadLocation(name), winter))).toEqual(['EST', 'JST', '-03', 'IST', '+0545'])
  expect(zones.map((name) => offsetAt(loadLocation(name), winter))).toEqual([-18000, 32400, -10800, 19800, 20700])
  expect([loadLocation(''), loadLocation('UTC'), loadLocation('Local')]).toEqual([UTC, UTC, LOCAL])
  expect(offsetAt(LOCAL, winter)).toBe(-new Date(winter * 1000).getTimezoneOffset() * 60)
  expect(abbreviationAt(LOCAL, winter)).not.toBe('')
  for (const name of ['Nope/Nowhere', '../etc/passwd', '+01:00']) {
    expect(() => loadLocation(name)).toThrow(new TemplateError(`unknown time zone ${name}`))
  }
})

test('a clock time that a zone skips or repeats is normalized as in Go', () => {
  const skipped = fromCivil({ ...parts, year: 2023, month: 3, day: 26, hour: 2, minute: 30 }, berlin)
  expect(formatGoTime(skipped, '15:04 -0700')).toBe('03:30 +0200')
})

test('calendar and clock agree with the ECMAScript calendar for all days it knows', () => {
  fc.assert(
    fc.property(fc.integer({ min: -8_640_000_000_000, max: 8_640_000_000_000 }), (seconds) => {
      const date = new Date(seconds * 1000)
      const time = { kind: 'time', unixNanoseconds: BigInt(seconds) * 1_000_000_000n, location: UTC } as const
      const civil = toCivil(time)
      expect([civil.year, civil.month, civil.day, civil.weekday, civil.hour, civil.minute, civil.second]).toEqual([
        date.getUTCFullYear(),
        date.getUTCMonth() + 1,
        date.getUTCDate(),
        date.getUTCDay(),
        date.getUTCHours(),
        date.getUTCMinutes(),
        date.getUTCSeconds(),
      ])
      expect(fromCivil(civil, UTC)).toEqual(time)
    }),
  )
})

test.each([
  ['2023-01-02', LAYOUTS.date, '2023-01-02 00:00:00 +0000 UTC'],
  ['02 Jan 06 15:04 MST', LAYOUTS.rfc822, '2006-01-02 15:04:00 +0000 MST'],
  ['Monday, 02-Jan-06 15:04:05 UTC', LAYOUTS.rfc850, '2006-01-02 15:04:05 +0000 UTC'],
  ['2006-01-02T15:04:05.25Z', LAYOUTS.rfc3339, '2006-01-02 15:04:05.25 +0000 UTC'],
  ['2006-01-02T15:04:05+02:00', LAYOUTS.rfc3339, '2006-01-02 15:04:05 +0200 +0200'],
  ['15:04:05', LAYOUTS.time, '0000-01-01 15:04:05 +0000 UTC'],
  ['12:30AM', '3:04PM', '0000-01-01 00:30:00 +0000 UTC'],
  ['1:30pm', '3:04pm', '0000-01-01 13:30:00 +0000 UTC'],
  ['2023-365', '2006-002', '2023-12-31 00:00:00 +0000 UTC'],
  ['Tue Feb  7 2023', 'Mon Jan _2 2006', '2023-02-07 00:00:00 +0000 UTC'],
  ['5.123', '5.000', '0000-01-01 00:00:05.123 +0000 UTC'],
  ['5', '5.999', '0000-01-01 00:00:05 +0000 UTC'],
  ['70', '06', '1970-01-01 00:00:00 +0000 UTC'],
  ['12:00 GMT+3', '15:04 MST', '0000-01-01 12:00:00 +0300 GMT+3'],
])('%s read as %s', (text, layout, expected) => {
  expect(formatGoTimeString(parseGoTime(text, layout))).toBe(expected)
})

test('a zone is where times without an offset are, and names its own offsets', () => {
  expect(formatGoTimeString(parseGoTime('2023-07-01 12:00:00', LAYOUTS.dateTime, berlin))).toBe(
    '2023-07-01 12:00:00 +0200 CEST',
  )
  expect(formatGoTimeString(parseGoTime('2023-07-01T12:00:00+02:00', LAYOUTS.rfc3339, berlin))).toBe(
    '2023-07-01 12:00:00 +0200 CEST',
  )
  expect(formatGoTimeString(parseGoTime('12:00 CET', '15:04 MST', loadLocation('Africa/Algiers')))).toContain(
    '12:00:00',
  )
  expect(formatRfc3339(fromCivil(parts, fixedZone('', -3600)))).toBe('2006-01-02T15:04:05.1234-01:00')
})

test.each([
  ['2023-1-2', LAYOUTS.date, 'parsing time "2023-1-2" as "2006-01-02": cannot parse "1-2" as "01"'],
  ['2023-13-01', LAYOUTS.date, 'parsing time "2023-13-01": month out of range'],
  ['2023-02-29', LAYOUTS.date, 'parsing time "2023-02-29": day out of range'],
  ['2023-01-01x', LAYOUTS.date, 'parsing time "2023-01-01x": extra text: "x"'],
  ['2023/01/01', LAYOUTS.date, 'parsing time "2023/01/01" as "2006-01-02": cannot parse "/01/01" as "-"'],
  ['366 2023', '002 2006', 'parsing time "366 2023": day-of-year out of range'],
  ['Foo', 'Jan', 'parsing time "Foo" as "Jan": cannot parse "Foo" as "Jan"'],
  ['Foo', 'Mon', 'parsing time "Foo" as "Mon": cannot parse "Foo" as "Mon"'],
  ['xx', '06', 'parsing time "xx" as "06": cannot parse "xx" as "06"'],
  ['xm', 'PM', 'parsing time "xm" as "PM": cannot parse "xm" as "PM"'],
  ['1', 'MST', 'parsing time "1" as "MST": cannot parse "1" as "MST"'],
  ['5.1', '5.000', 'parsing time "5.1" as "5.000": cannot parse ".1" as ".000"'],
  ['x', 'Z07:00', 'parsing time "x" as "Z07:00": cannot parse "x" as "Z07:00"'],
  ['+25:00', '-07:00', 'parsing time "+25:00": time zone offset hour out of range'],
])('%j does not fit %j', (text, layout, message) => {
  expect(() => parseGoTime(text, layout)).toThrow(new TemplateError(message))
})
