import { expect, test } from 'vitest'
import { checkLiterals, checkValues, decodeProperties } from '../../src/resources/decode.ts'
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
