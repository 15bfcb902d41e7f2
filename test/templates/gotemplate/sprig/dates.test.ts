import { expect, test } from 'vitest'
import { DATA, render } from '../render.ts'

// Expected texts are those of Go's text/template with sprig v3.3.0.
const CASES: readonly (readonly [template: string, expected: string])[] = [
  [
    '{{ date "2006-01-02 15:04:05" 1560458379 }} {{ htmlDate 1560458379 }} {{ htmlDateInZone 1560458379 "Asia/Tokyo" }}',
    '2019-06-13 20:39:39 2019-06-13 2019-06-14',
  ],
  [
    '{{ dateInZone "02 Jan 06 15:04 -0700" 1560458379 "America/New_York" }} {{ date_in_zone "15:04" 1560458379 "Nowhere" }}',
    '13 Jun 19 16:39 -0400 20:39',
  ],
  [
    '{{ $d := toDate "2006-01-02" "2024-02-28" }}{{ dateModify "36h" $d }} {{ date_modify "-1s" $d }} {{ dateModify "x" $d }} {{ mustDateModify "1h" $d }} {{ must_date_modify "1h" $d }}',
    '2024-02-29 12:00:00 +0000 UTC 2024-02-27 23:59:59 +0000 UTC 2024-02-28 00:00:00 +0000 UTC 2024-02-28 01:00:00 +0000 UTC 2024-02-28 01:00:00 +0000 UTC',
  ],
  [
    '{{ toDate "2006-01-02" "nope" }} {{ mustToDate "2006-01-02T15:04:05Z07:00" "2024-01-02T03:04:05Z" }}',
    '0001-01-01 00:00:00 +0000 UTC 2024-01-02 03:04:05 +0000 UTC',
  ],
  [
    '{{ mustToDate "Jan 2, 2006 at 3:04pm (MST)" "Feb 3, 2013 at 7:54pm (UTC)" }} {{ mustToDate "Monday January _2 06 15:04:05.000" "Tuesday February  3 13 17:54:01.250" }} {{ mustToDate "2006-002 15h" "2024-060 07h" }} {{ mustToDate "02/01/06 03 PM -0700" "05/06/70 12 AM +0130" | unixEpoch }} {{ mustToDate "2006 15:04:05" "2024 01:02:03.5" }} {{ mustToDate "2006 .999" "2024 .5" }} {{ mustToDate "2006 05.999" "2024 09" }}',
    '2013-02-03 19:54:00 +0000 UTC 2013-02-03 17:54:01.25 +0000 UTC 2024-02-29 07:00:00 +0000 UTC 13386600 2024-01-01 01:02:03.5 +0000 UTC 2024-01-01 00:00:00.5 +0000 UTC 2024-01-01 00:00:09 +0000 UTC',
  ],
  [
    '{{ unixEpoch (toDate "2006-01-02" "1969-12-31") }} {{ unixEpoch (toDate "2006-01-02" "2020-01-01") }}',
    '-86400 1577836800',
  ],
  [
    '{{ duration "61" }} {{ duration "x" }} {{ duration "-90" }} {{ duration 1.5 }} {{ durationRound "2h5s" }} {{ durationRound "2400h5s" }} {{ durationRound "-36h" }} {{ durationRound "x" }} {{ durationRound "8761h" }} {{ durationRound "90s" }} {{ durationRound "1500ms" }} {{ durationRound true }}',
    '1m1s 0s -1m30s 0s 2h 3mo 1d 0s 1y 1m 1s 0s',
  ],
  [
    '{{ $d := toDate "2006-01-02" "2024-02-29" }}{{ $d.Year }} {{ $d.Month }} {{ $d.Day }} {{ $d.Weekday }} {{ printf "%d %s %v %q" $d.Month $d.Month $d.Weekday $d.Weekday }} {{ eq $d.Month 2 }} {{ $d.Month.String }} {{ add $d.Month 1 }} {{ if $d.Weekday }}y{{ end }} {{ lt $d.Month 3 }} {{ kindOf $d.Month }} {{ typeOf $d.Weekday }} {{ float64 $d.Month }} {{ $d.YearDay }} {{ $d.Hour }} {{ $d.Minute }} {{ $d.Second }} {{ $d.Nanosecond }} {{ $d.Unix }} {{ $d.UnixMilli }} {{ $d.Format "Jan 2" }} {{ $d.IsZero }} {{ $d.String }} {{ $d.UTC }} {{ $d.Location }} {{ ($d.Sub (dateModify "-90m" $d)) }} {{ ($d.Sub (dateModify "-90m" $d)).Hours }} {{ ($d.Sub (dateModify "-90m" $d)).Milliseconds }} {{ ($d.Sub (dateModify "90m" $d)).Abs }} {{ ($d.Sub $d).String }} {{ $d.Before (dateModify "1h" $d) }} {{ $d.After $d }} {{ $d.Equal $d }} {{ $d.Compare (dateModify "1h" $d) }}',
    '2024 February 29 Thursday 2 February Thursday "Thursday" true February 3 y true int time.Weekday 2 60 0 0 0 0 1709164800 1709164800000 Feb 29 false 2024-02-29 00:00:00 +0000 UTC 2024-02-29 00:00:00 +0000 UTC UTC 1h30m0s 1.5 5400000 1h30m0s 0s true false true -1',
  ],
  [
    '{{ $d := toDate "2006" "2024" }}{{ $u := $d.Sub (toDate "2006" "2023") }}{{ eq $d $d }} {{ eq $d (toDate "2006" "2023") }} {{ kindOf $d }} {{ typeOf $d }} {{ kindOf $u }} {{ typeOf $u }} {{ empty $d }} {{ gt $u 5 }} {{ if $u }}long{{ end }} {{ printf "%v|%s|%d|%q" $u $u $u $d }} {{ deepEqual $d $d }} {{ uniq (list $d $d) | len }}',
    'true false struct time.Time int64 time.Duration false true long 8760h0m0s|8760h0m0s|31536000000000000|"2024-01-01 00:00:00 +0000 UTC" true 1',
  ],
]

test.each(CASES)('sprig dates: %s', (template, expected) => {
  expect(render(template, DATA)).toBe(expected)
})
