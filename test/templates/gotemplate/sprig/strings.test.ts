import { expect, test } from 'vitest'
import { DATA, render } from '../render.ts'

// Expected texts are those of Go's text/template with sprig v3.3.0.
const CASES: readonly (readonly [template: string, expected: string])[] = [
  [
    '{{ trim "  a b \\n" }}|{{ trimAll "$-" "$-5-$" }}|{{ trimall "a" "aba" }}|{{ trimPrefix "a" "ab" }}|{{ trimSuffix "b" "ab" }}|{{ trimSuffix "" "ab" }}',
    'a b|5|b|b|a|ab',
  ],
  [
    '{{ upper "straße é" }} {{ lower "ÀİΣ" }} {{ title "hello wOrld foo_bar é-x" }} {{ untitle "First Try" }}',
    'STRAßE É àiσ Hello WOrld Foo_bar É-X first try',
  ],
  [
    '{{ trunc 3 "abcdef" }} {{ trunc -2 "abcdef" }} {{ trunc 0 "a" }}| {{ trunc -9 "abc" }} {{ trunc 9 "abc" }}',
    'abc ef | abc abc',
  ],
  [
    '{{ substr 1 3 "abcdef" }} {{ substr -1 3 "abcdef" }} {{ substr 2 -1 "abcdef" }} {{ substr 2 99 "abcdef" }}',
    'bc abc cdef cdef',
  ],
  ['{{ repeat 3 "ab" }}|{{ repeat 0 "x" }}', 'ababab|'],
  ['{{ nospace " a b\\tc" }} {{ nospace "abc" }} {{ initials "Ann Marie lee" }}', 'abc abc AMl'],
  ['{{ swapcase "aBc DeF ǆx" }} {{ title "ǆa აბ" }} {{ lower "İ" }}', 'AbC dEf ǅX ǅa აბ i'],
  [
    '{{ snakecase "FirstName" }} {{ snakecase "http2xx" }} {{ snakecase "HTTP20xOK" }} {{ snakecase "Duration2m3s" }} {{ snakecase "Bld4Floor3rd" }} {{ snakecase "a.b C-d  e" }} {{ snakecase "" }} {{ snakecase "A1" }} {{ snakecase "Ab12" }} {{ snakecase "x9!y" }}',
    'first_name http_2xx http_20x_ok duration_2m3s bld4_floor_3rd a.b_c_d__e  a1 ab12 x9!y',
  ],
  [
    '{{ kebabcase "FirstName Two_three" }} {{ kebabcase "日本Go" }} {{ kebabcase "v2" }}',
    'first-name-two-three 日本-go v2',
  ],
  [
    '{{ camelcase "http_server" }} {{ camelcase "_complex__case_" }} {{ camelcase "ABC def" }} {{ camelcase "x" }} {{ camelcase "__" }} {{ camelcase "" }} {{ camelcase "_a" }}',
    'HttpServer _Complex_Case_ AbcDef X ___  _A',
  ],
  [
    '{{ wrap 5 "Hello big World" }}|{{ wrap 3 "abcdefgh ij" }}|{{ wrap 0 "a b" }}|{{ wrap 2 "" }}|{{ wrap 3 "   abc" }}',
    'Hello\nbig\nWorld|abcdefgh\nij|a\nb||abc',
  ],
  ['{{ wrapWith 4 "|" "Hello World ab" }} {{ wrapWith 3 "" "abcdef" }}', 'Hell|o|Worl|d ab abc\ndef'],
  [
    '{{ contains "b" "abc" }} {{ hasPrefix "a" "abc" }} {{ hasSuffix "c" "abc" }} {{ contains "x" "abc" }}',
    'true true true false',
  ],
  [
    '{{ quote "a" 1 nil "b\\"c" }} {{ squote "a" 1 nil true }} {{ cat "a" 1 nil (list 1 2) }}',
    '"a" "1" "b\\"c" \'a\' \'1\' \'true\' a 1 [1 2]',
  ],
  ['{{ indent 2 "a\\nb" }}|{{ nindent 2 "a\\nb" }}', '  a\n  b|\n  a\n  b'],
  ['{{ replace "a" "xy" "banana" }} {{ replace "" "-" "abc" }}', 'bxynxynxy -a-b-c-'],
  ['{{ plural "one" "many" 1 }} {{ plural "one" "many" 2 }}', 'one many'],
  [
    '{{ abbrev 5 "hello world" }} {{ abbrev 3 "hello" }} {{ abbrev 20 "hello" }} {{ abbrevboth 5 10 "1234 5678 9123" }} {{ abbrevboth 20 8 "abcdefghijklmnop" }} {{ abbrevboth 5 4 "abcdefghij" }} {{ abbrevboth 9 9 "abcdefghijklmnopqrstuvwxyz" }}',
    'he... hello hello ...5678... ...lmnop abcdefghij ...jkl...',
  ],
  ['{{ join "-" (list 1 nil "a" 2.5) }} {{ join "," "abc" }} {{ join "," nil }} {{ join "" (list) }}', '1-a-2.5 abc  '],
  [
    '{{ (split "$" "a$b$c")._1 }} {{ (splitn "$" 2 "a$b$c")._1 }} {{ splitList "," "a,,b" }} {{ splitList "" "aé" }} {{ splitn "," 0 "a,b" }} {{ splitn "," 1 "a,b" }}',
    'b b$c [a  b] [a é] map[] map[_0:a,b]',
  ],
  [
    '{{ toString 1.5 }} {{ toString (list 1) }} {{ toStrings (list 1 nil "x") }} {{ toStrings 5 }} {{ toStrings nil }}',
    '1.5 [1] [1 x] [5] []',
  ],
  ['{{ sortAlpha (list "b" "a" 1) }} {{ sortAlpha "x" }} {{ sortAlpha (list "é" "z" "Z") }}', '[1 a b] [x] [Z z é]'],
  ['{{ hello }}', 'Hello!'],
]

test.each(CASES)('sprig strings: %s', (template, expected) => {
  expect(render(template, DATA)).toBe(expected)
})
