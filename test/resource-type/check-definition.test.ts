import { expect, test } from 'vitest'
import { COMMON_PROPERTIES } from '../../src/model/property.ts'
import { commonProperties } from '../../src/policy/schema/common.ts'
import { defineResource, differences, present, type PropertySpecs } from '../../src/index.ts'
import { resourceTypes } from '../support/resource-types.ts'

const text = { kind: 'text', summary: 'Words.' } as const

/** What is wrong with a definition that is sound but for these changes. */
function mistakes(changes: object): string {
  try {
    defineResource({
      type: 'thing',
      summary: 'A thing.',
      properties: { a: text, b: text } as PropertySpecs,
      drifts: ['a'],
      examples: [],
      observe: () => present(1),
      decide: () => differences<string>([]),
      apply: async () => ({ kind: 'done' }),
      ...changes,
    })
    return ''
  } catch (error) {
    return error instanceof Error ? error.message.replace(/^resource type "[^"]*" cannot be defined: /, '') : 'thrown'
  }
}

test.each<[string, object, string]>([
  ['a sound definition', {}, ''],
  ['a name with dots', { type: 'file.owner' }, ''],
  [
    'a name with capitals',
    { type: 'File' },
    'its name must be words of lowercase letters, digits, _ and - that start with a letter, separated by dots',
  ],
  ['a name that ends in a dot', { type: 'file.' }, 'its name must be words of'],
  ['a reserved property', { properties: { require: text } }, 'property "require" has the name of a common property'],
  [
    'a reserved alias',
    { properties: { a: { ...text, aliases: ['alias'] } } },
    'property "alias" has the name of a common property',
  ],
  ['an alias of another', { properties: { a: text, b: { ...text, aliases: ['a'] } } }, 'two properties are called "a"'],
  ['a name no policy can write', { properties: { 'a b': text } }, '"a b" is not a valid property name'],
  ['a name that is no text', { properties: { name: { kind: 'integer', summary: 'N.' } } }, 'property "name" must be a'],
  ['a name that may be missing', { properties: { name: text } }, 'property "name" must be a required string'],
  [
    'a misspelt constraint',
    { properties: { a: { ...text, requird: true } } },
    'property "a" has "requird", which does not apply to a property of kind text',
  ],
  [
    'a constraint of another kind',
    { properties: { a: { ...text, minimum: 1 } } },
    'has "minimum", which does not apply',
  ],
  ['no specification', { properties: { a: undefined } }, 'property "a" has no specification: { kind, summary }'],
  [
    'no kind',
    { properties: { a: { summary: 'A.' } } },
    'property "a" has the kind undefined; the kinds are text, boolean, integer, duration, list, map, any',
  ],
  ['a misspelt kind', { properties: { a: { kind: 'txt', summary: 'A.' } } }, 'property "a" has the kind "txt"'],
  ['no summary at all', { properties: { a: { kind: 'text' } } }, 'property "a" has no summary'],
  ['a list of nothing', { properties: { a: { kind: 'list', summary: 'L.' } } }, 'property "a[]" has no specification'],
  [
    'items and values without a summary',
    {
      properties: {
        a: { kind: 'list', summary: 'L.', items: { kind: 'text' } },
        b: { kind: 'map', summary: 'M.', values: { kind: 'integer' } },
      },
    },
    'property "a[]" has no summary; property "b.*" has no summary',
  ],
  ['no summary', { properties: { a: { ...text, summary: ' ' } } }, 'property "a" has no summary'],
  [
    'a bad pattern',
    { properties: { a: { ...text, pattern: { expression: '(', describes: 'x' } } } },
    'property "a" has the pattern (, which is not a regular expression',
  ],
  ['no choice', { properties: { a: { ...text, oneOf: [] } } }, 'property "a" allows no value'],
  ['a double choice', { properties: { a: { ...text, oneOf: ['x', 'x'] } } }, 'property "a" allows one value twice'],
  [
    'a default it does not allow',
    { properties: { a: { ...text, oneOf: ['x'], default: 'y' } } },
    'property "a" has a default it does not allow: invalid its default value "y": must be "x"',
  ],
  [
    'a default that is not needed',
    { properties: { a: { ...text, required: true, default: 'y' } } },
    'property "a" is required, so its default is never used',
  ],
  [
    'a default duration',
    { properties: { a: { kind: 'duration', default: -1, summary: 'D.' } } },
    'property "a" has a default that is not a number of milliseconds',
  ],
  [
    'an empty range',
    { properties: { a: { kind: 'integer', minimum: 2, maximum: 1, summary: 'I.' } } },
    'property "a" has a minimum above its maximum',
  ],
  [
    'no base',
    { properties: { a: { kind: 'integer', base: 37, summary: 'I.' } } },
    'property "a" has a base that is not between 2 and 36',
  ],
  [
    'a mistake in the items',
    { properties: { a: { kind: 'list', items: { ...text, oneOf: [] }, summary: 'L.' } } },
    'property "a[]" allows no value',
  ],
  ['a group of one', { exclusive: [['a']] }, 'the exclusive properties "a" must be at least two'],
  [
    'a misspelt group',
    { exclusive: [['a', 'bb']] },
    'the exclusive properties "a", "bb" name "bb", which is not a property',
  ],
  [
    'a group with a required property',
    { properties: { a: { ...text, required: true }, b: text }, exclusive: [['a', 'b']] },
    'name "a", which is always set',
  ],
  ['a group that repeats', { exclusive: [['a', 'b', 'a']] }, 'name "a" twice'],
  [
    'a misspelt rule',
    { rules: [{ reads: ['aa'], check: () => undefined }] },
    'a rule is for "aa", which is not a property',
  ],
  ['no differences', { drifts: [] }, 'it declares no difference under drifts'],
  ['a difference twice', { drifts: ['a', 'a'] }, 'it declares the difference "a" twice'],
  ['a misspelt neverSecret', { neverSecret: ['x'] }, 'neverSecret names "x", which is not a declared difference'],
  ['no platform', { platforms: [] }, 'provider "default" works on no platform'],
  ['no time', { timeoutMs: 0 }, 'timeoutMs must be a number of milliseconds above 0'],
])('%s', (_title, changes, message) => {
  const found = mistakes(changes)
  if (message === '') expect(found).toBe('')
  else expect(found).toContain(message)
})

test('every mistake is told at once', () => {
  expect(mistakes({ type: 'T', drifts: [], timeoutMs: 0.5 }).split('; ')).toHaveLength(3)
})

test('the names that are reserved are those every resource has', () => {
  expect([...COMMON_PROPERTIES].toSorted()).toEqual(Object.keys(commonProperties).toSorted())
  for (const name of COMMON_PROPERTIES) expect(mistakes({ properties: { [name]: text } })).toContain(`"${name}"`)
})

test('the types that ship are made by the same function', () => {
  expect(resourceTypes.map(({ type }) => type)).toContain('file')
})
