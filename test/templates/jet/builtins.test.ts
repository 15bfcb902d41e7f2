import { expect, test } from 'vitest'
import { BUILTINS } from '../../../src/templates/jet/builtins.ts'
import { failure, render } from './support.ts'

test.each([
  ['lower("A\u0130\u00c9\u03a3")', 'ai\u00e9\u03c3'],
  ['upper("a\u00df\u00e9\u{1d400}")', 'A\u00df\u00c9\u{1d400}'],
  ['"b" | upper', 'B'],
  ['upper: "b"', 'B'],
  ['upper(data.bytes)', 'HI'],
  ['hasPrefix("abc", "a")', 'true'],
  ['hasSuffix("abc", "a")', 'false'],
  ['repeat("a", 3)', 'aaa'],
  ['repeat("a", data.ints[1])', 'aa'],
  ['repeat("", 99999999999)', ''],
  ['2 | repeat("ab", _)', 'abab'],
  ['"a" | repeat(2)', 'aa'],
  ['replace("aa", "a", "b", -1)', 'bb'],
  ['replace("aaa", "a", "bb", 2)', 'bbbba'],
  ['replace("aaa", "a", "b", 0)', 'aaa'],
  ['replace("a\u{1f600}", "", "-", -1)', '-a-\u{1f600}-'],
  ['replace("ab", "", "-", 2)', '-a-b'],
  ['replace("ab", "x", "-", 9)', 'ab'],
  ['replace("$$", "$", "$&", 1)', '$&$'],
  ['split("a,b", ",")', '[a b]'],
  ['len(split("", ","))', '1'],
  ['len(split("", ""))', '0'],
  ['split("\u{1f600}a", "")', '[\u{1f600} a]'],
  ['trimSpace(" \\t\\u0085a b\\u3000\\n")', 'a b'],
  ['trimSpace("\\ufeffa")', '\ufeffa'],
  ['html("<b>\'\\"&")', '&lt;b&gt;&#39;&#34;&amp;'],
  ['url("a b/\u00e9-_.~")', 'a+b%2F%C3%A9-_.~'],
  ['json(data.nested)', '{"x":1}'],
  ['data.fl | json', '1000000'],
  ['json(data.nilv)', 'null'],
  ['writeJson(data.nested)', '{"x":1}\n'],
  ['map("a", 1, "b", nil, "c", data.nilv)', 'map[a:1 c:<nil>]'],
  ['map("a", 1, "a", nil)', 'map[]'],
  ['slice("a", 1)', '[a 1]'],
  ['array()', '[]'],
  ['len("\u00e9")', '2'],
  ['len("abc")', '3'],
  ['len(data.list)', '2'],
  ['len(data.bytes)', '2'],
  ['len(data.nested)', '1'],
  ['raw: "<x>", 1', '<x>1'],
  ['isset(data.port, data.list[0])', 'true'],
  ['isset(data.port, nope)', 'false'],
  ['isset(data.missing)', 'false'],
  ['isset(data.missing.x)', 'false'],
  ['isset(data.nilv)', 'false'],
  ['isset(data.list[9])', 'false'],
  ['isset(.missing)', 'false'],
  ['isset(.)', 'true'],
  ['isset(upper)', 'true'],
  ['isset(1 + nope)', 'true'],
  ['isset(nope())', 'true'],
  ['isset(nope[1:])', 'true'],
  ['1 | isset', 'true'],
  ['1 | isset(_)', 'true'],
])('%s gives %j', (expression, expected) => {
  expect(render(`[[ ${expression} ]]`)).toBe(expected)
})

test.each([
  ['upper(8080)', 'argument for position 0 must be a string, not float64'],
  ['upper(data.port)', 'argument for position 0 must be a string, not int'],
  ['upper(nil)', 'argument for position 0 must be a string, not <invalid>'],
  ['upper(data.nilv)', 'argument for position 0 must be a string, not interface {}'],
  ['upper(ints(0, 1))', 'argument for position 0 must be a string, not result of ints()'],
  ['upper()', 'unexpected number of arguments in a call to upper: needs 1 arguments, but have 0'],
  ['"a" | upper("b")', 'unexpected number of arguments in a call to upper: needs 1 arguments, but have 2'],
  ['isset()', 'unexpected number of arguments in a call to isset: needs at least 1, but have 0'],
  ['exec()', 'unexpected number of arguments in a call to exec: needs 1 or 2, but have 0'],
  ['repeat("a", "b")', 'argument for position 1 must be a number, not string'],
  ['repeat("a", -1)', 'strings: negative Repeat count'],
  ['map("a")', 'map(): incomplete key-value pair (even number of arguments required)'],
  ['map(1, 2)', 'argument for position 0 must be a string, not float64'],
  ['slice(nil)', 'argument for position 0 is not a valid value'],
  ['slice(upper)', 'function upper cannot be used as a value'],
  ['json(nil)', 'argument for position 0 is not a valid value'],
  ['len(nil)', 'len(): argument is not a valid value'],
  ['len(5)', 'len(): invalid value type float64'],
  ['len(upper)', 'len(): invalid value type function upper'],
  ['ints(3, 3)', "invalid range for ints ranger: 'from' must be smaller than 'to'"],
  ['ints("a", 3)', 'argument for position 0 must be a number, not string'],
  ['"a" + raw("b")', 'node "raw" is not func kind "function raw"'],
])('%s fails', (expression, message) => {
  expect(failure(`[[ ${expression} ]]`).message).toBe(`Jet Runtime Error ("/f":1): ${message}`)
})

test('the builtins are those of Jet without dump', () => {
  const names =
    'array exec hasPrefix hasSuffix html includeIfExists ints isset json len lower map raw repeat replace safeHtml safeJs slice split trimSpace unsafe upper url writeJson'
  expect([...BUILTINS.keys()].toSorted().join(' ')).toBe(names)
  expect(failure('[[ dump() ]]').message).toContain('identifier "dump" not available')
})
