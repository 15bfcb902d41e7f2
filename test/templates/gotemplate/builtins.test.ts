import { expect, test } from 'vitest'
import { DATA, render } from './render.ts'

// Expected texts are those of Go's text/template.
const CASES: readonly (readonly [template: string, expected: string])[] = [
  ['{{ and 1 0 2 }} {{ and 1 2 }} {{ and .none 1 }} {{ 0 | and 1 }}', '0 2 <no value> 0'],
  ['{{ or 0 "" "x" }} {{ or 0 .none }} {{ 5 | or 0 }}', 'x <no value> 5'],
  ['{{ or 1 (index .nums 99) }} {{ and 0 (index .nums 99) }}', '1 0'],
  ['{{ not 0 }} {{ not "x" }} {{ not .none }}', 'true false true'],
  [
    '{{ eq 1 1 }} {{ eq 1 2 3 1 }} {{ eq "a" "b" }} {{ eq .none nil }} {{ eq 1.5 1.5 }} {{ eq true true }} {{ ne 1 2 }} {{ eq .none 1 }} {{ eq \'a\' 97 }}',
    'true true false true true true true false true',
  ],
  [
    '{{ lt 1 2 }} {{ lt "a" "b" }} {{ le 2 2 }} {{ gt 1.5 0.5 }} {{ ge "b" "b" }} {{ gt 1 2 }}',
    'true true true true true false',
  ],
  ['{{ len .nums }} {{ len .word }} {{ len .user }} {{ len "" }}', '3 13 2 0'],
  [
    '{{ index .nums 1 }} {{ index .users 1 "name" }} {{ index .user "nope" }} {{ index "abc" 1 }} {{ index .nums }}',
    '1 Bob <no value> 98 [3 1 2]',
  ],
  [
    '{{ slice .nums 1 }} {{ slice .nums 1 2 }} {{ slice .nums 0 1 2 }} {{ slice "héllo" 0 3 }} {{ slice .nums }}',
    '[1 2] [1] [3] hé [3 1 2]',
  ],
  ['{{ print 1 2 "a" "b" 3 4.5 nil true }}', '1 2ab3 4.5 <nil> true'],
  ['{{ println "a" 1 nil }}|', 'a 1 <nil>\n|'],
  [
    '{{ printf "%05d|%-5s|%5.2f|%q|%v|%x|%T" .port .host .ratio "q" .nums "hi" .user }}',
    '08080|web01| 2.50|"q"|[3 1 2]|6869|map[string]interface {}',
  ],
  [
    '{{ html "<a href=\\"x\\">\'&" }} {{ html .none }} {{ html 1 2 }}',
    '&lt;a href=&#34;x&#34;&gt;&#39;&amp; &lt;no value&gt; 1 2',
  ],
  [
    '{{ js "it\'s <b>\\n=&\\\\\\"" }} {{ js 5 }} {{ js "é\\u200b" }}',
    'it\\\'s \\u003Cb\\u003E\\u000A\\u003D\\u0026\\\\\\" 5 é\\u200B',
  ],
  ['{{ urlquery "a b&c=d/é~!*\'()" }} {{ urlquery 1 .none }}', 'a+b%26c%3Dd%2F%C3%A9~%21%2A%27%28%29 1%3Cno+value%3E'],
]

test.each(CASES)('builtin functions: %s', (template, expected) => {
  expect(render(template, DATA, { library: 'builtin' })).toBe(expected)
})
