import { expect, test } from 'vitest'
import { DATA, render } from '../render.ts'

// Expected texts are those of Go's text/template with sprig v3.3.0.
const CASES: readonly (readonly [template: string, expected: string])[] = [
  [
    '{{ $n := float64 "nan" }}{{ $i := float64 "inf" }}{{ printf "%v|%5.1f|%+f|%05f|% f|%v|%+v|%08.2f|%-6v|% v" $n $n $n $n $n $i $i $i $i (float64 "-inf") }} {{ uniq (list $n $n) }} {{ has $n (list $n) }} {{ deepEqual $n $n }} {{ toJson $n }}| {{ max $n 1 }} {{ maxf $n 1 }} {{ minf $i 1 }} {{ int $i }}',
    'NaN|  NaN|+NaN|  NaN| NaN|+Inf|+Inf|    +Inf|+Inf  |-Inf [NaN NaN] false false | 1 NaN 1 -9223372036854775808',
  ],
  [
    '{{ add 1 2 3 }} {{ add }} {{ sub 5 7 }} {{ mul 2 "3" 4 }} {{ div 7 2 }} {{ div -7 2 }} {{ mod 7 3 }} {{ mod -7 3 }} {{ add1 4 }} {{ add 1.9 "0x10" true nil "x" "2.0" (list 1) }}',
    '6 0 -2 24 3 -3 1 -1 5 20',
  ],
  ['{{ add 9223372036854775807 1 }} {{ mul 9223372036854775807 2 }}', '-9223372036854775808 -2'],
  [
    '{{ max 1 5 3 }} {{ min 4 2 3 }} {{ biggest 1 2 }} {{ maxf 1.5 2 "3.5" }} {{ minf 1 0.5 }} {{ max 3 }}',
    '5 2 2 3.5 0.5 3',
  ],
  [
    '{{ ceil 1.2 }} {{ floor -1.2 }} {{ round 2.345 2 }} {{ round 2.5 0 }} {{ round -2.5 0 }} {{ round 1234.5 -2 }} {{ round 2.345 2 0.6 }} {{ ceil "1.5" }} {{ floor nil }}',
    '2 -2 2.35 3 -3 1200 2.34 2 0',
  ],
  [
    '{{ addf 0.1 0.2 }} {{ addf }} {{ subf 1 0.9 }} {{ mulf 1.1 1.1 }} {{ divf 1 3 }} {{ divf -2 3 }} {{ divf 10 4 }} {{ add1f 0.1 }} {{ mulf 1e200 1e200 }} {{ addf 1e300 1e-5 }} {{ addf "1_000" true }}',
    '0.3 0 0.1 1.21 0.3333333333333333 -0.6666666666666667 2.5 1.1 +Inf 1e+300 1001',
  ],
  [
    '{{ int "12" }} {{ int "1.0" }} {{ int "x" }} {{ int 3.9 }} {{ int64 "010" }} {{ float64 "2.5" }} {{ float64 "x" }} {{ float64 3 }} {{ atoi "12" }} {{ atoi "1x" }} {{ atoi "99999999999999999999" }} {{ atoi "-99999999999999999999" }} {{ toDecimal "777" }} {{ toDecimal 10 }} {{ toDecimal "9" }} {{ toDecimal "-17" }}',
    '12 1 0 3 8 2.5 0 3 12 0 9223372036854775807 -9223372036854775808 511 8 0 -15',
  ],
]

test.each(CASES)('sprig numbers: %s', (template, expected) => {
  expect(render(template, DATA)).toBe(expected)
})
