import { expect, test } from 'vitest'
import { errorOf, evaluateText, firstLine } from './evaluate-text.ts'

// Results of Go's time package.
test.each([
  ['date("2023-08-14")', 'time.Time 2023-08-14 00:00:00 +0000 UTC'],
  ['date("15:04:05").Format("15h04")', 'string 15h04'],
  ['date("2023-08-14 10:20:30").Unix()', 'int 1692008430'],
  ['date("2023-08-14T10:20:30Z").UnixMilli()', 'int 1692008430000'],
  ['date("2023-08-14T10:20:30.5Z").UnixMicro()', 'int 1692008430500000'],
  ['date("1969-12-31T23:59:59.5Z").Unix()', 'int -1'],
  ['date("1970-01-01T00:00:00.000000007Z").UnixNano()', 'int 7'],
  ['date("14/08/23", "02/01/06").Day()', 'int 14'],
  ['date("2023-08-14", "2006-01-02", "Europe/Berlin").String()', 'string 2023-08-14 00:00:00 +0200 CEST'],
  ['date(timezone("Europe/Berlin"), "2023-08-14").String()', 'string 2023-08-14 00:00:00 +0200 CEST'],
  ['date(timezone("Europe/Berlin"), "14.8.2023", "2.1.2006").Hour()', 'int 0'],
  ['date("2023-08-14").Year() + date("2023-08-14").YearDay()', 'int 2249'],
  ['date("2023-08-14T10:20:30.5Z").Minute()', 'int 20'],
  ['date("2023-08-14T10:20:30.5Z").Second()', 'int 30'],
  ['date("2023-08-14T10:20:30.5Z").Nanosecond()', 'int 500000000'],
  ['date("2023-08-14").Month()', 'time.Month August'],
  ['date("2023-08-14").Weekday().String()', 'string Monday'],
  ['string(date("2023-08-14").Month()) + toJSON(date("2023-08-14").Month())', 'string August8'],
  ['date("2023-08-14") - date("2023-08-13")', 'time.Duration 24h0m0s'],
  ['date("2023-08-14") - duration("1h")', 'time.Time 2023-08-13 23:00:00 +0000 UTC'],
  ['duration("1h") + date("2023-08-14")', 'time.Time 2023-08-14 01:00:00 +0000 UTC'],
  ['date("2023-08-14") + duration("1h")', 'time.Time 2023-08-14 01:00:00 +0000 UTC'],
  ['date("2023-08-14").Add(duration("-24h")) == date("2023-08-13")', 'bool true'],
  ['date("2023-08-14").AddDate(0, 1, 17)', 'time.Time 2023-10-01 00:00:00 +0000 UTC'],
  ['date("2023-08-14").Sub(date("2023-08-13T12:00:00Z")).Hours()', 'float64 12'],
  ['date("2023-08-14").After(date("2023-08-13"))', 'bool true'],
  ['date("2023-08-14").Before(date("2023-08-13"))', 'bool false'],
  ['date("2023-08-14").Equal(date("2023-08-14"))', 'bool true'],
  ['map(["13", "14", "15"], date("2023-08-14").Compare(date("2023-08-" + #)))', '[]interface {} [1 0 -1]'],
  ['date("2023-08-14T10:00:00Z").In(timezone("Asia/Tokyo")).Format("15:04 MST")', 'string 19:00 JST'],
  ['date(timezone("Asia/Tokyo"), "2023-08-14").UTC().Format("2006-01-02 15:04")', 'string 2023-08-13 15:00'],
  ['date("2023-08-14").Local().Location().String()', 'string Local'],
  ['date("0001-01-01").IsZero()', 'bool true'],
  ['date(timezone("Europe/Berlin"), "2023-08-14").IsDST()', 'bool true'],
  ['date(timezone("Europe/Berlin"), "2023-01-14").IsDST()', 'bool false'],
  ['date("2023-08-14T10:44:30Z").Truncate(duration("1h")).Format("15:04")', 'string 10:00'],
  ['date("2023-08-14T10:44:30Z").Round(duration("1h")).Format("15:04")', 'string 11:00'],
  ['date("2023-08-14T10:14:30Z").Round(duration("1h")).Format("15:04")', 'string 10:00'],
  ['date("2023-08-14").Truncate(duration("0s")) == date("2023-08-14").Round(duration("0s"))', 'bool true'],
  ['"x" in date("2023-08-14")', 'bool false'],
  ['duration("90m").Minutes() + duration("90m").Seconds()', 'float64 5490'],
  ['duration("1.5s").Milliseconds() + duration("1ms").Microseconds() + duration("1ns").Nanoseconds()', 'int 2501'],
  ['duration("-90s").Abs().String()', 'string 1m30s'],
  ['duration("100s").Truncate(duration("1m"))', 'time.Duration 1m0s'],
  ['duration("-90s").Round(duration("1m"))', 'time.Duration -2m0s'],
  ['duration("80s").Round(duration("1m"))', 'time.Duration 1m0s'],
  ['duration("80s").Round(duration("0s")) == duration("80s").Truncate(duration("0s"))', 'bool true'],
  ['duration("1h") - duration("1m") + duration("1s")', 'time.Duration 59m1s'],
  ['2 * duration("1h") > duration("1h") * 1', 'bool true'],
  ['duration("1s") * 0.5', 'float64 5e+08'],
  ['duration("3ns") * duration("2ns")', 'time.Duration 6ns'],
])('%s is %s', (source, expected) => {
  expect(evaluateText(source)).toBe(expected)
})

test.each([
  ['date("nope")', 'invalid date nope (1:1)'],
  ['date("1", "2006")', 'parsing time "1" as "2006": cannot parse "1" as "2006" (1:1)'],
  ['duration("1")', 'time: missing unit in duration "1" (1:1)'],
  ['timezone("Mars")', 'unknown time zone Mars (1:1)'],
  ['date()', 'invalid number of arguments (expected at least 1, got 0) (1:1)'],
  ['date("a", "b", "c", "d")', 'invalid number of arguments (expected at most 3, got 4) (1:1)'],
  ['now(1)', 'invalid number of arguments (expected 0, got 1) (1:1)'],
  ['date("2020-01-01").Nope()', 'type time.Time has no method Nope (1:20)'],
  ['date("2020-01-01").nope', 'type time.Time has no field nope (1:20)'],
  ['date("2020-01-01").Format()', 'not enough arguments to call Format (1:20)'],
  ['date("2020-01-01").Year(1)', 'too many arguments to call Year (1:20)'],
  ['date("2020-01-01").Add(1)', 'cannot use int as argument (type time.Duration) to call Add  (1:24)'],
  ['date("2020-01-01").AddDate(999999999, 999, 2)', 'date is out of range (1:20)'],
  ['date("2020-01-01") + 1', 'invalid operation: + (mismatched types time.Time and int) (1:20)'],
])('%s fails with %s', (source, expected) => {
  expect(firstLine(errorOf(source).message)).toBe(expected)
})

test.each([
  ['date("2020-01-01").Year(1)', 'too many arguments to call Year (1:20)'],
  ['date("2020-01-01").Format()', 'not enough arguments to call Format (1:20)'],
  ['date("2020-01-01").Add(1)', 'interface conversion: interface {} is int, not time.Duration (1:20)'],
  ['date("2020-01-01").Sub(1)', 'interface conversion: interface {} is int, not time.Time (1:20)'],
  ['date("2020-01-01").In("UTC")', 'interface conversion: interface {} is string, not *time.Location (1:20)'],
  ['date("2020-01-01").Nope', 'cannot fetch Nope from time.Time (1:20)'],
  ['date("2020-01-01") + 1', 'invalid operation: time.Time + int (1:20)'],
  ['date("2020-01-01") < 1', 'invalid operation: time.Time < int (1:20)'],
  ['now("x")', 'invalid number of arguments (expected 0, got 1) (1:1)'],
  ['date(timezone("UTC"))', 'invalid number of arguments (expected at least 1, got 0) (1:1)'],
])('without checks %s fails with %s', (source, expected) => {
  expect(firstLine(errorOf(source, {}, { checks: 'none' }).message)).toBe(expected)
})
