import { expect, test } from 'vitest'
import {
  asBool,
  asFloat,
  asInt,
  asString,
  asUint,
  exists,
  getJson,
  isArray,
  isObject,
  toGoValue,
} from '../../../src/templates/gjson/index.ts'

const result = (json: string): ReturnType<typeof getJson> => getJson(`[${json}]`, '0')

test.each<[json: string, ...readings: unknown[]]>([
  ['1', '1', 1n, 1n, 1, true],
  ['-7', '-7', -7n, 0n, -7, true],
  ['0', '0', 0n, 0n, 0, false],
  ['2.75', '2.75', 2n, 2n, 2.75, true],
  ['1e3', '1000', 1000n, 1000n, 1000, true],
  ['1e-7', '0.0000001', 0n, 0n, 1e-7, true],
  ['9007199254740993', '9007199254740993', 9007199254740993n, 9007199254740993n, 9007199254740992, true],
  ['18446744073709551615', '18446744073709551615', 2n ** 63n - 1n, 2n ** 64n - 1n, 2 ** 64, true],
  ['"12"', '12', 12n, 12n, 12, false],
  ['"1"', '1', 1n, 1n, 1, true],
  ['"TRUE"', 'TRUE', 0n, 0n, 0, true],
  ['"2.5"', '2.5', 2n, 2n, 2.5, false],
  ['true', 'true', 1n, 1n, 1, true],
  ['false', 'false', 0n, 0n, 0, false],
  ['null', '', 0n, 0n, 0, false],
  ['{"a":1}', '{"a":1}', 0n, 0n, 0, false],
])('%s as text, integers, float and boolean', (json, ...readings) => {
  const value = result(json)
  expect([asString(value), asInt(value), asUint(value), asFloat(value), asBool(value)]).toEqual(readings)
})

test('null exists, nothing does not', () => {
  expect(exists(result('null'))).toBe(true)
  expect(exists(result(''))).toBe(false)
})

test('objects and arrays are told apart', () => {
  expect([isObject(result('{}')), isArray(result('{}'))]).toEqual([true, false])
  expect([isObject(result('[]')), isArray(result('[]'))]).toEqual([false, true])
  expect([isObject(result('"{"')), isArray(result('"["'))]).toEqual([false, false])
})

test.each([
  ['"text"', 'text'],
  ['null', null],
  ['true', true],
  ['8080', 8080n],
  ['8080.0', 8080],
  ['0.5', 0.5],
  ['1e3', 1000n],
  ['9223372036854775808', 9223372036854775808n],
  ['1e30', 1e30],
  ['[1,2.5,[3.0]]', [1n, 2.5, [3n]]],
  [
    '{"b":1,"a":null,"b":2}',
    new Map<string, unknown>([
      ['b', 1n],
      ['a', null],
    ]),
  ],
])('%s becomes a value of the templates', (json, value) => {
  expect(toGoValue(result(json))).toEqual(value)
})

test('a value nested too deeply is refused', () => {
  const deep = '['.repeat(2000) + ']'.repeat(2000)
  expect(() => toGoValue(result(deep))).toThrow(/nested deeper/)
})
