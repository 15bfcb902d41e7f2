import { expect, test } from 'vitest'
import { DATA, render } from '../render.ts'

// Expected texts are those of Go's text/template with sprig v3.3.0.
const CASES: readonly (readonly [template: string, expected: string])[] = [
  [
    '{{ default "d" "" }} {{ default "d" 0 }} {{ default "d" nil }} {{ default "d" "x" }} {{ default "d" }} {{ .none | default "n" }} {{ .port | default 1 }}',
    'd d d x d n 8080',
  ],
  [
    '{{ empty 0 }} {{ empty "x" }} {{ empty (list) }} {{ empty (dict) }} {{ empty nil }} {{ empty false }} {{ empty 0.0 }}',
    'true false true true true true true',
  ],
  [
    '{{ coalesce 0 "" nil "x" 2 }} {{ coalesce }} {{ all 1 "a" }} {{ all 1 0 }} {{ all }} {{ any 0 "" }} {{ any 0 1 }} {{ any }}',
    'x <no value> true false true false true false',
  ],
  ['{{ ternary "y" "n" true }} {{ false | ternary "y" "n" }}', 'y n'],
  [
    '{{ kindOf 1 }} {{ kindOf 1.5 }} {{ kindOf "a" }} {{ kindOf nil }} {{ kindOf (list) }} {{ kindOf (dict) }} {{ kindOf true }}',
    'int float64 string invalid slice map bool',
  ],
  [
    '{{ typeOf 1 }} {{ typeOf 1.5 }} {{ typeOf "a" }} {{ typeOf nil }} {{ typeOf (list) }} {{ typeOf (dict) }} {{ typeIs "int" 1 }} {{ typeIsLike "string" "a" }} {{ typeIsLike "*int" 1 }} {{ kindIs "map" (dict) }}',
    'int float64 string <nil> []interface {} map[string]interface {} true true false true',
  ],
  [
    '{{ deepEqual (list 1 (dict "a" 1)) (list 1 (dict "a" 1)) }} {{ deepEqual 1 1.0 }} {{ deepEqual (list) (dict) }} {{ deepEqual (dict "a" 1) (dict "b" 1) }} {{ deepEqual nil nil }} {{ deepEqual (list 1) (list 1 2) }} {{ deepEqual "a" 1 }}',
    'true false false false true false false',
  ],
]

test.each(CASES)('sprig defaults and reflection: %s', (template, expected) => {
  expect(render(template, DATA)).toBe(expected)
})
