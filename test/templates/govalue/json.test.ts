import fc from 'fast-check'
import { expect, test } from 'vitest'
import { TemplateError } from '../../../src/templates/errors.ts'
import {
  decodeGoJson,
  encodeGoJson,
  fromPlain,
  goDuration,
  goEqual,
  toPlain,
  UTC,
  type GoValue,
} from '../../../src/templates/govalue/index.ts'

test.each<[string, GoValue, string]>([
  ['keys sorted by bytes', fromPlain({ b: 1, a: 2, ä: 3, A: 4 }), '{"A":4,"a":2,"b":1,"ä":3}'],
  ['HTML escapes', '<a & b>\u2028', '"\\u003ca \\u0026 b\\u003e\\u2028"'],
  ['floats as JavaScript writes them', [1.5, 2, 1e21, 1e-7, -0], '[1.5,2,1e+21,1e-7,-0]'],
  ['bytes as base64', Uint8Array.of(1, 2, 3), '"AQID"'],
  ['durations as nanoseconds', goDuration(1500n), '1500'],
  ['times', { kind: 'time', unixNanoseconds: 1_500_000_000n, location: UTC }, '"1970-01-01T00:00:01.5Z"'],
  ['zones', UTC, '{}'],
  ['weekdays', { kind: 'enum', type: 'time.Weekday', value: 1n, name: 'Monday' }, '1'],
  ['nil, bools, big ints', [null, true, 9223372036854775807n], '[null,true,9223372036854775807]'],
  ['other keys than strings', new Map([[2n, 'b']]), '{"2":"b"}'],
])('encodes %s', (_, value, text) => {
  expect(encodeGoJson(value)).toBe(text)
})

test('indents like MarshalIndent and can leave HTML alone', () => {
  const value = fromPlain({ a: [1, '<'], b: {}, c: [] })
  expect(encodeGoJson(value, { indent: '  ', escape: 'plain' })).toBe(
    '{\n  "a": [\n    1,\n    "<"\n  ],\n  "b": {},\n  "c": []\n}',
  )
})

test.each<[string, GoValue, string]>([
  ['NaN', NaN, 'json: unsupported value: NaN'],
  ['a function', { kind: 'function', name: 'f', call: () => null }, 'json: unsupported type: func'],
])('cannot encode %s', (_, value, message) => {
  expect(() => encodeGoJson(value)).toThrow(message)
})

test('numbers are floats, or ints where they are spelled as such', () => {
  const text = '[1, 2.0, 1e3, -0, 9223372036854775808]'
  expect(decodeGoJson(text)).toEqual([1, 2, 1000, -0, 9223372036854775808])
  expect(decodeGoJson(text, { numbers: 'spelling' })).toEqual([1n, 2, 1000, 0n, 9223372036854775808])
})

test('the last of two equal keys wins and __proto__ is a key like any other', () => {
  const value = decodeGoJson('{"a":1,"a":2,"__proto__":{"x":3}}')
  expect(value).toEqual(
    new Map<string, unknown>([
      ['a', 2],
      ['__proto__', new Map([['x', 3]])],
    ]),
  )
})

// Texts of Go's encoding/json.
test.each([
  ['', 'unexpected end of JSON input'],
  ['[1,', 'unexpected end of JSON input'],
  ['"abc', 'unexpected end of JSON input'],
  ['{"a" 1}', "invalid character '1' after object key"],
  ['{"a":1 "b"}', "invalid character '\"' after object key:value pair"],
  ['{a:1}', "invalid character 'a' looking for beginning of object key string"],
  ['[1 2]', "invalid character '2' after array element"],
  ['1 2', "invalid character '2' after top-level value"],
  ['01', "invalid character '1' after top-level value"],
  ["['a']", String.raw`invalid character '\'' looking for beginning of value`],
  ['"\\q"', "invalid character 'q' in string escape code"],
  ['"\\u12g4"', String.raw`invalid character 'g' in \u hexadecimal character escape`],
  ['"a\nb"', String.raw`invalid character '\n' in string literal`],
  ['1e999', 'json: cannot unmarshal number 1e999 into Go value of type float64'],
  ['['.repeat(100_000), 'exceeded max depth'],
])('%j is not JSON', (text, message) => {
  expect(() => decodeGoJson(text)).toThrow(new TemplateError(message))
})

test('JSON that JavaScript writes is read as the same value and written back as the same data', () => {
  fc.assert(
    fc.property(fc.jsonValue({ noUnicodeString: false }), (data) => {
      const text = JSON.stringify(data)
      const value = decodeGoJson(text)
      expect(toPlain(value)).toEqual(JSON.parse(text))
      expect(goEqual(decodeGoJson(encodeGoJson(value, { indent: ' ' })), value)).toBe(true)
    }),
  )
})
