import { expect, test } from 'vitest'
import { TemplateError } from '../../../src/templates/errors.ts'
import {
  floatToInt64,
  formatGoValue,
  fromPlain,
  parseDecimalInt64,
  parseGoDuration,
  parseGoFloat,
  toPlain,
  toWellFormed,
  countBytes,
  countRunes,
  UTC,
  type GoValue,
} from '../../../src/templates/govalue/index.ts'

test('plain data becomes Go values and back', () => {
  const data = { n: 1, f: 1.5, big: 1e300, s: 'x', l: [true, null], m: { k: 'v' } }
  const value = fromPlain(data)
  expect(formatGoValue(value)).toBe('map[big:1e+300 f:1.5 l:[true <nil>] m:map[k:v] n:1 s:x]')
  expect(toPlain(value)).toEqual(data)
})

test('a value without a counterpart in JSON is converted or refused', () => {
  expect(fromPlain([undefined, 2n ** 63n - 1n, new Date(1000), new Map([[1, 'a']]), Uint8Array.of(1)])).toEqual([
    null,
    2n ** 63n - 1n,
    { kind: 'time', unixNanoseconds: 1_000_000_000n, location: UTC },
    new Map([[1n, 'a']]),
    Uint8Array.of(1),
  ])
  expect(() => fromPlain(() => 1)).toThrow(TemplateError)
  expect(() => fromPlain([2n ** 63n])).toThrow('9223372036854775808 does not fit into 64 bits')
  const cyclic: unknown[] = []
  cyclic.push(cyclic)
  expect(() => fromPlain(cyclic)).toThrow(TemplateError)
})

test('inherited and prototype members never become entries', () => {
  const inherited: unknown = Object.create({ secret: 1 })
  expect(fromPlain(inherited)).toEqual(new Map())
  const plain = toPlain(new Map([['__proto__', 'data']]))
  expect(Object.keys(Object(plain))).toEqual(['__proto__'])
})

test.each<[GoValue, unknown]>([
  [2n ** 60n, 2n ** 60n],
  [parseGoDuration('1m'), '1m0s'],
  [{ kind: 'time', unixNanoseconds: 0n, location: UTC }, '1970-01-01T00:00:00Z'],
  [UTC, 'UTC'],
  [new Map([[1n, 'a']]), { 1: 'a' }],
])('%o as plain data', (value, expected) => {
  expect(toPlain(value)).toEqual(expected)
})

test('functions and endless depth are no data', () => {
  expect(() => toPlain({ kind: 'function', name: 'f', call: () => null })).toThrow(TemplateError)
  let value: GoValue = null
  for (let depth = 0; depth < 2000; depth += 1) value = [value]
  expect(() => toPlain(value)).toThrow(TemplateError)
})

// strconv.Atoi and strconv.ParseFloat.
test.each([
  ['42', 42n, 42],
  ['-7', -7n, -7],
  ['+7', 7n, 7],
  ['007', 7n, 7],
  ['9223372036854775808', undefined, 9223372036854775808],
  ['1e3', undefined, 1000],
  ['.5', undefined, 0.5],
  ['5.', undefined, 5],
  ['0x1p-2', undefined, 0.25],
  ['-0x1.8p1', undefined, -3],
  ['inf', undefined, Infinity],
  ['-Infinity', undefined, -Infinity],
  ['nan', undefined, NaN],
  ['1e999', undefined, undefined],
  ['0x1p99999', undefined, undefined],
  ['0xp1', undefined, undefined],
  [' 1', undefined, undefined],
  ['1_000', undefined, 1000],
  ['1__0', undefined, undefined],
  ['_1', undefined, undefined],
  ['', undefined, undefined],
])('%j as int %s and float %s', (text, int, float) => {
  expect(parseDecimalInt64(text)).toBe(int)
  expect(parseGoFloat(text)).toBe(float)
})

test('floats are cut to int64', () => {
  expect([1.9, -1.9, NaN, 1e30].map(floatToInt64)).toEqual([1n, -1n, -(2n ** 63n), -(2n ** 63n)])
})

test('lengths count runes or bytes, half a surrogate pair is U+FFFD', () => {
  expect([countRunes('a👍é'), countBytes('a👍é'), toWellFormed('a\ud800')]).toEqual([3, 7, 'a\ufffd'])
})
