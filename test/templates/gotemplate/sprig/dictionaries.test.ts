import { expect, test } from 'vitest'
import { DATA, render } from '../render.ts'

// Expected texts are those of Go's text/template with sprig v3.3.0.
const CASES: readonly (readonly [template: string, expected: string])[] = [
  ['{{ dict "a" 1 "b" "x" }} {{ dict "odd" }} {{ dict 1 2 }} {{ dict }}', 'map[a:1 b:x] map[odd:] map[1:2] map[]'],
  [
    '{{ $d := dict "a" 1 }}{{ get $d "a" }}{{ get $d "z" }}| {{ hasKey $d "a" }} {{ hasKey $d "z" }} {{ hasKey nil "a" }}',
    '1| true false false',
  ],
  [
    '{{ $d := dict "a" 1 }}{{ $e := set $d "b" 2 }}{{ $d }} {{ $e }} {{ $_ := unset $d "a" }}{{ $e }}',
    'map[a:1 b:2] map[a:1 b:2] map[b:2]',
  ],
  [
    '{{ values (dict "a" 1) }} {{ keys (dict "b" 1) (dict "a" 2) }} {{ pluck "a" (dict "a" 1) (dict) (dict "a" nil) }}',
    '[1] [b a] [1 <nil>]',
  ],
  ['{{ pick (dict "a" 1 "b" 2) "a" "z" }} {{ omit (dict "a" 1 "b" 2) "a" "z" }}', 'map[a:1] map[b:2]'],
  [
    '{{ dig "a" "b" "none" (dict "a" (dict "b" 5)) }} {{ dig "a" "x" "none" (dict "a" (dict "b" 5)) }} {{ dig "z" "none" (dict) }} {{ dig "a" "x" (dict "a" nil) }}',
    '5 none none <no value>',
  ],
  [
    '{{ merge (dict "a" 1 "e" "" "m" (dict "x" 1)) (dict "a" 2 "b" 3 "e" "f" "m" (dict "x" 9 "y" 2)) }}',
    'map[a:1 b:3 e:f m:map[x:1 y:2]]',
  ],
  [
    '{{ mergeOverwrite (dict "a" 1 "m" (dict "x" 1) "l" (list 1)) (dict "a" 0 "m" (dict "y" 2) "l" (list)) (dict "n" nil) }}',
    'map[a:0 l:[] m:map[x:1 y:2] n:<nil>]',
  ],
  [
    '{{ mustMerge (dict) (dict "a" 1) }} {{ mustMergeOverwrite (dict "a" 1) (dict "a" (dict "k" 1)) }} {{ merge nil (dict "a" 1) }} {{ merge (dict "m" (dict)) (dict "m" (dict)) }}',
    'map[a:1] map[a:map[k:1]] map[a:1] map[m:map[]]',
  ],
  [
    '{{ $a := dict "m" (dict "x" 1) }}{{ $b := deepCopy $a }}{{ $_ := set $b.m "x" 2 }}{{ $a }} {{ $b }} {{ mustDeepCopy (list 1 (list 2)) }}',
    'map[m:map[x:1]] map[m:map[x:2]] [1 [2]]',
  ],
  [
    '{{ $src := dict "m" (dict "x" 1) }}{{ $dst := merge (dict) $src }}{{ $_ := set $dst.m "x" 5 }}{{ $src }}',
    'map[m:map[x:5]]',
  ],
  [
    '{{ toJson (dict "a" (list 1 2.5 nil true "<é>") "f" 1.0) }} {{ toRawJson "<" }} {{ toPrettyJson (dict "a" (list 1) "b" (dict)) }} {{ mustToJson 1 }} {{ mustToRawJson "&" }} {{ mustToPrettyJson (list) }}',
    '{"a":[1,2.5,null,true,"\\u003cé\\u003e"],"f":1} "<" {\n  "a": [\n    1\n  ],\n  "b": {}\n} 1 "&" []',
  ],
  [
    '{{ fromJson "{\\"a\\": [1, 2.5, null]}" }} {{ fromJson "nope" }} {{ (mustFromJson "{\\"k\\": \\"v\\"}").k }}',
    'map[a:[1 2.5 <nil>]] <no value> v',
  ],
]

test.each(CASES)('sprig dicts: %s', (template, expected) => {
  expect(render(template, DATA)).toBe(expected)
})
