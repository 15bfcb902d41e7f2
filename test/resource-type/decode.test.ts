import { expect, test } from 'vitest'
import { checkLiterals, checkValues, decodeProperties } from '../../src/resource-type/decode.ts'
import { gadget } from '../policy/support.ts'

const hasTemplate = (text: string): boolean => text.includes('{{')

test('values are converted and defaults applied; null is not set', () => {
  expect(decodeProperties(gadget, { name: 'g', size: null, data: [1] })).toEqual({
    ok: true,
    values: { name: 'g', ensure: 'running', timeout: 1000, loud: false, data: [1] },
  })
})

test.each<[string, string, unknown, unknown]>([
  ['an integer of a template', 'size', 3n, 3],
  ['a number where text is wanted', 'version', 5n, '5'],
  ['a duration', 'timeout', '1m30s', 90_000],
  ['a map of a template', 'headers', new Map<unknown, unknown>([['a', 1n]]), { a: '1' }],
  ['a list', 'environment', ['A=1', true, 2], ['A=1', 'true', '2']],
  ['an empty list', 'environment', [], []],
  ['free data', 'data', { a: [null] }, { a: [null] }],
])('%s', (_title, property, given, value) => {
  expect(decodeProperties(gadget, { name: 'g', [property]: given })).toMatchObject({
    ok: true,
    values: { [property]: value },
  })
})

test('every violation is told', () => {
  const decoded = decodeProperties(gadget, {
    name: '',
    ensure: 'runing',
    size: 2n ** 60n,
    headers: { a: [] },
    bogus: 1,
  })
  expect(decoded).toEqual({
    ok: false,
    violations: [
      { property: 'bogus', message: 'unknown property "bogus" of type gadget' },
      { property: 'name', message: 'name is required' },
      {
        property: 'ensure',
        message: 'invalid ensure value "runing": must be one of "running" or "stopped", did you mean "running"?',
      },
      { property: 'size', message: 'size must be a whole number, found the number 1152921504606846976' },
      { property: 'headers', message: 'headers.a must be text, found a list' },
    ],
  })
})

test('a rule sees defaults, and waits for the values it reads', () => {
  const rule = { property: 'size', message: 'a stopped gadget has no size' }
  expect(checkLiterals(gadget, { name: 'g', ensure: 'stopped', size: 3 }, hasTemplate).violations).toEqual([rule])
  expect(checkLiterals(gadget, { name: 'g', size: 3 }, hasTemplate).violations).toEqual([])
  expect(checkLiterals(gadget, { name: 'g', ensure: '{{ x }}', size: 3 }, hasTemplate).violations).toEqual([])
  expect(checkLiterals(gadget, { name: 'g', ensure: 'stopped', size: 'x' }, hasTemplate).violations).toMatchObject([
    { message: 'size must be a whole number, found text "x"' },
  ])
})

test('templates hide anywhere in a value', () => {
  expect(
    checkLiterals(gadget, { name: '{{ n }}', headers: { a: ['{{ x }}'] }, environment: [[], '{{ y }}'] }, hasTemplate)
      .violations,
  ).toEqual([])
})

test('values alone need nothing beside them', () => {
  expect(checkValues(gadget, { size: 3, ensure: 'stopped', loud: null }, hasTemplate)).toEqual([])
  expect(checkValues(gadget, { size: 30 }, hasTemplate)).toEqual([
    { property: 'size', message: 'size must be at most 9' },
  ])
})

test('a long value is quoted in part', () => {
  const [violation] = checkLiterals(gadget, { name: 'g', version: 'x'.repeat(1000) }, hasTemplate).violations
  expect(violation?.message).toBe(`invalid version value "${'x'.repeat(60)}…": must be digits and dots`)
})

/** What each integer with a base makes of a value. */
function inBase(base: number, value: unknown, limits: object = {}): unknown {
  const type = { ...gadget, properties: { mode: { kind: 'integer', base, summary: 'M.', ...limits } as const } }
  const decoded = decodeProperties(type, { mode: value })
  return decoded.ok ? decoded.values['mode'] : decoded.violations.map(({ message }) => message)
}

test.each<[number, unknown, unknown]>([
  [8, '0755', 0o755],
  [8, '755', 0o755],
  [8, '0o755', 0o755],
  [8, '-17', -0o17],
  [8, 493, 493],
  [8, '0855', ['mode must be a whole number in base 8, found text "0855"']],
  [8, '0x1', ['mode must be a whole number in base 8, found text "0x1"']],
  [8, '', ['mode must be a whole number in base 8, found text ""']],
  [8, '7.5', ['mode must be a whole number in base 8, found text "7.5"']],
  [8, ' 7', ['mode must be a whole number in base 8, found text " 7"']],
  [16, 'ff', 255],
  [16, '0xFF', 255],
  [2, '0b101', 5],
  [10, '010', 10],
  [36, 'z', 35],
  [8, true, ['mode must be a whole number in base 8, found the boolean true']],
])('in base %i, %j is %j', (base, value, expected) => {
  expect(inBase(base, value)).toEqual(expected)
})

test('limits and choices are told in the base they are written in', () => {
  expect(inBase(8, '1000', { maximum: 0o777 })).toEqual(['mode must be at most 777'])
  expect(inBase(8, '7', { oneOf: [0o644, 0o755] })).toEqual(['invalid mode value "7": must be one of "644" or "755"'])
  expect(inBase(8, '755', { oneOf: [0o644, 0o755] })).toBe(0o755)
})

const GROUPS = {
  ...gadget,
  rules: [],
  exclusive: [
    ['size', 'version'],
    ['loud', 'timeout', 'data'],
  ],
  properties: {
    size: { kind: 'integer', summary: 'S.' },
    version: { kind: 'text', summary: 'V.' },
    loud: { kind: 'boolean', summary: 'L.' },
    timeout: { kind: 'duration', summary: 'T.' },
    data: { kind: 'any', summary: 'D.' },
    list: { kind: 'list', nonEmpty: true, items: { kind: 'text', summary: 'One.' }, summary: 'L.' },
    map: { kind: 'map', nonEmpty: true, values: { kind: 'text', summary: 'One.' }, summary: 'M.' },
    text: { kind: 'text', nonEmpty: true, summary: 'T.' },
    needed: { kind: 'text', required: true, summary: 'N.' },
  },
} as const

test.each<[string, Record<string, unknown>, readonly [string, string][]]>([
  ['one of two properties', { size: 1 }, []],
  ['none of two', {}, []],
  ['null is not set', { size: 1, version: null }, []],
  ['both', { version: 'a', size: 1 }, [['version', 'only one of "size" or "version" can be set']]],
  ['empty text is set', { size: 1, version: '' }, [['version', 'only one of "size" or "version" can be set']]],
  [
    'false and zero are set',
    { loud: false, timeout: '0' },
    [['timeout', 'only one of "loud", "timeout", or "data" can be set']],
  ],
  [
    'a wrong value is set all the same',
    { size: 'x', version: 'a' },
    [
      ['size', 'size must be a whole number, found text "x"'],
      ['version', 'only one of "size" or "version" can be set'],
    ],
  ],
  [
    'both groups at once',
    { size: 1, version: 'a', loud: true, data: [] },
    [
      ['version', 'only one of "size" or "version" can be set'],
      ['data', 'only one of "loud", "timeout", or "data" can be set'],
    ],
  ],
])('exclusive properties: %s', (_title, given, expected) => {
  const decoded = decodeProperties(GROUPS, { needed: '', ...given })
  expect(decoded.ok ? [] : decoded.violations.map(({ property, message }) => [property, message])).toEqual(expected)
})

test('a template may still turn out to be nothing', () => {
  const given = { needed: 'x', size: 1, version: '{{ x }}' }
  expect(checkLiterals(GROUPS, given, hasTemplate).violations).toEqual([])
  expect(checkValues(GROUPS, { size: 1, version: 'a' }, hasTemplate)).toEqual([])
})

test('an unset property is missing, an empty property is not', () => {
  const messages = (given: Record<string, unknown>): string[] => {
    const decoded = decodeProperties(GROUPS, given)
    return decoded.ok ? [] : decoded.violations.map(({ message }) => message)
  }
  expect(messages({})).toEqual(['needed is required'])
  expect(messages({ needed: null })).toEqual(['needed is required'])
  expect(messages({ needed: '' })).toEqual([])
  expect(messages({ needed: 'x', list: null, map: null, text: null })).toEqual([])
  expect(messages({ needed: 'x', list: [], map: {}, text: '' })).toEqual([
    'list cannot be empty',
    'map cannot be empty',
    'text cannot be empty',
  ])
})

test.each([['yes'], ['on'], ['1'], ['true'], ['t'], [1], [0], ['']])('%j is neither true nor false', (value) => {
  expect(decodeProperties(gadget, { name: 'g', loud: value }).ok).toBe(false)
})
