import { expect, test } from 'vitest'
import { DATA, render } from '../render.ts'

// Expected texts are those of Go's text/template with sprig v3.3.0.
const CASES: readonly (readonly [template: string, expected: string])[] = [
  ['{{ list 1 "a" nil }} {{ tuple 1 2 }} {{ list }}', '[1 a <nil>] [1 2] []'],
  [
    '{{ first (list 1 2) }} {{ last (list 1 2) }} {{ rest (list 1 2 3) }} {{ initial (list 1 2 3) }} {{ first (list) }} {{ rest (list) }} {{ mustFirst (list 5) }} {{ mustLast (list 5 6) }}',
    '1 2 [2 3] [1 2] <no value> [] 5 6',
  ],
  [
    '{{ reverse (list 1 2 3) }} {{ uniq (list 1 1 "1" 1.0 (list 1) (list 1) nil nil) }} {{ compact (list 0 "" 1 nil "a" false) }}',
    '[3 2 1] [1 1 1 [1] <nil>] [1 a]',
  ],
  [
    '{{ without (list 1 2 3 1) 1 3 }} {{ without (list (list 1) 2) (list 1) }} {{ has 2 (list 1 2) }} {{ has "x" nil }} {{ has (dict "a" 1) (list (dict "a" 1)) }} {{ mustHas 1 (list) }}',
    '[2] [2] true false true false',
  ],
  [
    '{{ slice (list 1 2 3 4) 1 3 }} {{ slice (list 1 2 3) 1 }} {{ slice (list 1 2) }} {{ slice (list) 1 2 }} {{ slice (list 1 2 3) "1" 2.9 }}',
    '[2 3] [2 3] [1 2] <no value> [2]',
  ],
  [
    '{{ concat (list 1) (list 2 (list 3)) (list) }} {{ append (list 1) 2 }} {{ push (list 1) nil }} {{ prepend (list 1) 0 }} {{ mustAppend (list) 1 }}',
    '[1 2 [3]] [1 2] [1 <nil>] [0 1] [1]',
  ],
  ['{{ chunk 2 (list 1 2 3) }} {{ chunk 3 (list) }} {{ mustChunk 1 (list 1 2) }}', '[[1 2] [3]] [] [[1] [2]]'],
  [
    '{{ until 4 }} {{ until -3 }} {{ untilStep 1 10 3 }} {{ untilStep 5 0 -2 }} {{ untilStep 0 5 0 }} {{ untilStep 0 5 -1 }}',
    '[0 1 2 3] [0 -1 -2] [1 4 7] [5 3 1] [] []',
  ],
  [
    '{{ seq 3 }} | {{ seq -2 }} | {{ seq 2 5 }} | {{ seq 5 2 }} | {{ seq 1 2 8 }} | {{ seq 8 -3 1 }} | {{ seq 3 1 1 }} | {{ seq }} | {{ seq 1 2 3 4 }}',
    '1 2 3 | 1 0 -1 -2 | 2 3 4 5 | 5 4 3 2 | 1 3 5 7 | 8 5 2 |  |  | ',
  ],
  ['{{ range $i, $e := list "a" "b" }}{{ $i }}{{ $e }}{{ end }}', '0a1b'],
]

test.each(CASES)('sprig lists: %s', (template, expected) => {
  expect(render(template, DATA)).toBe(expected)
})
