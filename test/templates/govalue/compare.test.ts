import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BudgetError } from '../../../src/templates/errors.ts'
import {
  Budget,
  compareGoValues,
  compareStrings,
  fromPlain,
  goDuration,
  goEqual,
  loadLocation,
  UTC,
  type GoValue,
} from '../../../src/templates/govalue/index.ts'

const noon: GoValue = { kind: 'time', unixNanoseconds: 12n, location: UTC }
const sameInstant: GoValue = { kind: 'time', unixNanoseconds: 12n, location: loadLocation('Europe/Berlin') }
const month: GoValue = { kind: 'enum', type: 'time.Month', value: 1n, name: 'January' }
const weekday: GoValue = { kind: 'enum', type: 'time.Weekday', value: 1n, name: 'Monday' }

test.each<[string, GoValue, GoValue, boolean]>([
  ['int and float by value', 1n, 1, true],
  ['float and int by value', 1.5, 1n, false],
  ['int and string', 1n, '1', false],
  ['nil and nil', null, null, true],
  ['nil and empty list', null, [], false],
  ['NaN', NaN, NaN, false],
  ['lists', [1n, ['a']], [1, ['a']], true],
  ['lists of other length', [1n], [1n, 2n], false],
  ['list and map', [], new Map(), false],
  ['bytes', Uint8Array.of(1), Uint8Array.of(1), true],
  ['bytes and list', Uint8Array.of(1, 2), [1n, 2n], true],
  ['maps', fromPlain({ a: { b: 1 } }), fromPlain({ a: { b: 1 } }), true],
  ['maps with other keys', fromPlain({ a: null }), fromPlain({ b: null }), false],
  ['map and time', new Map(), noon, false],
  ['times by instant', noon, sameInstant, true],
  ['durations', goDuration(5n), goDuration(5n), true],
  ['time and duration', noon, goDuration(12n), false],
  ['zones', UTC, loadLocation('UTC'), true],
  ['months', month, { ...month }, true],
  ['month and weekday', month, weekday, false],
  [
    'functions',
    { kind: 'function', name: 'f', call: () => null },
    { kind: 'function', name: 'f', call: () => null },
    false,
  ],
])('equality of %s', (_, a, b, expected) => {
  expect(goEqual(a, b)).toBe(expected)
  expect(goEqual(b, a)).toBe(expected)
})

test('comparing shared structure that unfolds without end stops at the budget', () => {
  let value: GoValue = 1n
  for (let depth = 0; depth < 60; depth += 1) value = [value, value]
  let other: GoValue = 1n
  for (let depth = 0; depth < 60; depth += 1) other = [other, other]
  expect(() => goEqual(value, other, new Budget({ steps: 1000 }))).toThrow(BudgetError)
})

test.each<[GoValue, GoValue, number | undefined]>([
  [1n, 2n, -1],
  [2n, 1.5, 1],
  [1n, 1, 0],
  ['a', 'b', -1],
  ['Z', 'a', -1],
  [goDuration(2n), goDuration(1n), 1],
  [noon, sameInstant, 0],
  [1n, NaN, NaN],
  [1n, 'a', undefined],
  ['a', 1n, undefined],
  [true, false, undefined],
  [null, null, undefined],
  [noon, goDuration(1n), undefined],
  [[], [], undefined],
])('order of %s and %s', (a, b, expected) => {
  const order = compareGoValues(a, b)
  expect(order === undefined ? order : Math.sign(order)).toEqual(expected)
})

test('strings are ordered as their UTF-8 bytes are', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (a, b) => {
      expect(Math.sign(compareStrings(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)))
    }),
  )
})
