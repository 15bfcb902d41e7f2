import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BudgetError } from '../../../src/templates/errors.ts'
import {
  formatGoFloat,
  formatGoValue,
  formatPlainFloat,
  fromPlain,
  goTypeName,
  parseGoDuration,
  stringMap,
  tagGoValue,
  UTC,
  missingValueOf,
  type GoValue,
} from '../../../src/templates/govalue/index.ts'

// What Go's fmt.Sprint and strconv.FormatFloat(f, 'f', -1, 64) print.
test.each([
  [100000, '100000', '100000'],
  [1000000, '1e+06', '1000000'],
  [1234567.5, '1.2345675e+06', '1234567.5'],
  [0.0001, '0.0001', '0.0001'],
  [0.00001, '1e-05', '0.00001'],
  [1e100, '1e+100', `1${'0'.repeat(100)}`],
  [2, '2', '2'],
  [-0.5, '-0.5', '-0.5'],
  [0, '0', '0'],
  [-0, '-0', '-0'],
  [1e21, '1e+21', '1000000000000000000000'],
  [NaN, 'NaN', 'NaN'],
  [Infinity, '+Inf', '+Inf'],
  [-Infinity, '-Inf', '-Inf'],
])('the float %s prints as %s', (value, general, plain) => {
  expect(formatGoFloat(value)).toBe(general)
  expect(formatPlainFloat(value)).toBe(plain)
})

test('printed floats read back as the same float', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
      expect(Number(formatGoFloat(value))).toBe(value)
      expect(Number(formatPlainFloat(value))).toBe(value)
      expect(formatPlainFloat(value)).not.toContain('e')
    }),
  )
})

const call = (): GoValue => null
const january: GoValue = { kind: 'enum', type: 'time.Month', value: 1n, name: 'January' }

test.each<[string, GoValue, string, string]>([
  ['nil', null, '<nil>', '<nil>'],
  ['bool', true, 'true', 'bool'],
  ['int', 42n, '42', 'int'],
  ['string', 'a b', 'a b', 'string'],
  ['bytes', Uint8Array.of(97, 98), '[97 98]', '[]uint8'],
  ['list', [1n, 'a', null, true, new Map([['a', 1n]])], '[1 a <nil> true map[a:1]]', '[]interface {}'],
  ['map', fromPlain({ b: 1, a: 2, B: 3 }), 'map[B:3 a:2 b:1]', 'map[string]interface {}'],
  [
    'map with int keys',
    new Map([
      [10n, 1n],
      [9n, 2n],
    ]),
    'map[9:2 10:1]',
    'map[interface {}]interface {}',
  ],
  [
    'map with mixed keys',
    new Map<GoValue, GoValue>([
      [true, 1n],
      ['a', 2n],
      [null, 3n],
    ]),
    'map[<nil>:3 a:2 true:1]',
    'map[interface {}]interface {}',
  ],
  ['duration', parseGoDuration('90m'), '1h30m0s', 'time.Duration'],
  ['time', { kind: 'time', unixNanoseconds: 0n, location: UTC }, '1970-01-01 00:00:00 +0000 UTC', 'time.Time'],
  ['location', UTC, 'UTC', '*time.Location'],
  ['month', january, 'January', 'time.Month'],
  ['function', { kind: 'function', name: 'f', call }, '0x0', 'func(...interface {}) (interface {}, error)'],
])('%s has the text and type name of Go', (_, value, text, type) => {
  expect(formatGoValue(value)).toBe(text)
  expect(goTypeName(value)).toBe(type)
  expect(tagGoValue(value).value).toBe(value)
})

test('a value too deep to print is an error and no stack overflow', () => {
  let value: GoValue = 1n
  for (let depth = 0; depth < 5000; depth += 1) value = [value]
  expect(() => formatGoValue(value)).toThrow(BudgetError)
})

test('a map of strings gives the empty string for a missing key', () => {
  const typed = stringMap([['HOME', '/root']])
  expect([typed.get('HOME'), missingValueOf(typed, 'x'), missingValueOf(new Map(), 'x')]).toEqual(['/root', '', null])
})
