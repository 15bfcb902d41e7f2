import { expect, test } from 'vitest'
import { DATA, render } from '../render.ts'

// Expected texts are those of Go's text/template with sprig v3.3.0.
const CASES: readonly (readonly [template: string, expected: string])[] = [
  [
    '{{ regexMatch "^a.c$" "abc" }} {{ regexMatch "b" "abc" }} {{ regexMatch "(" "x" }} {{ mustRegexMatch "x" "y" }}',
    'true true false false',
  ],
  ['{{ regexFind "[a-z]+" "12abc34" }} {{ regexFind "z" "abc" }}| {{ mustRegexFind "\\\\d" "a1" }}', 'abc | 1'],
  [
    '{{ regexFindAll "[0-9]" "1a2b3" -1 }} {{ regexFindAll "[0-9]" "1a2b3" 2 }} {{ regexFindAll "z" "a" -1 }} {{ regexFindAll "a*" "baaac" -1 | toJson }} {{ mustRegexFindAll "." "é😀" -1 }} {{ regexFindAll "a" "aaa" 0 }}',
    '[1 2 3] [1 2] [] ["","aaa",""] [é 😀] []',
  ],
  [
    '{{ regexReplaceAll "a(x*)b" "-ab-axxb-" "${1}W" }} {{ regexReplaceAll "a(x*)b" "-ab-axxb-" "$1W" }} {{ regexReplaceAll "(?P<n>b)" "abc" "<${n}$n$$$9$>" }} {{ regexReplaceAll "" "aé" "-" }} {{ regexReplaceAll "x*" "axb" "-" }} {{ mustRegexReplaceAll "b" "abc" "$0$0" }} {{ regexReplaceAll "b" "abc" "$01" }}',
    '-W-xxW- --- a<bb$$>c -a-é- -a-b- abbc ac',
  ],
  ['{{ regexReplaceAllLiteral "b" "abc" "$0" }} {{ mustRegexReplaceAllLiteral "." "ab" "x" }}', 'a$0c xx'],
  [
    '{{ regexSplit "," "a,b,,c" -1 | toJson }} {{ regexSplit "," "a,b,c" 2 | toJson }} {{ regexSplit "," "" -1 | toJson }} {{ regexSplit "a*" "baac" -1 | toJson }} {{ regexSplit "x" "a" 0 | len }} {{ mustRegexSplit "b" "abc" 1 | toJson }}',
    '["a","b","","c"] ["a","b,c"] [""] ["b","c"] 0 ["abc"]',
  ],
  ['{{ regexQuoteMeta "1.5 (x) [a]{2}^$|\\\\*+?" }}', '1\\.5 \\(x\\) \\[a\\]\\{2\\}\\^\\$\\|\\\\\\*\\+\\?'],
]

test.each(CASES)('sprig regular expressions: %s', (template, expected) => {
  expect(render(template, DATA)).toBe(expected)
})
