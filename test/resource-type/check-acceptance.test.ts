import { expect, test } from 'vitest'
import { defineResource, differences, present, type PropertySpec, type ResourceType } from '../../src/index.ts'
import { decodeProperties, withSecretValues } from '../../src/resource-type/decode.ts'

const summary = 'A value.'

function typeWith(spec: PropertySpec): ResourceType {
  return defineResource({
    type: 'thing',
    summary: 'A thing.',
    properties: { value: spec },
    drifts: ['value'],
    examples: [],
    observe: () => present({}),
    decide: () => differences([]),
    apply: async () => ({ kind: 'done' }),
  })
}

function problems(spec: PropertySpec, value: unknown): readonly string[] {
  const decoded = decodeProperties(typeWith(spec), { name: 'x', value })
  return decoded.ok ? [] : decoded.violations.map(({ message }) => message)
}

const TEXT = { kind: 'text', summary, accepts: 'text' } as const
const NUMBER = { kind: 'integer', summary, accepts: 'number' } as const
const DURATION = { kind: 'duration', summary, accepts: 'duration' } as const
const SIZE = { kind: 'text', summary, accepts: 'size' } as const
const VERSION = { kind: 'text', summary, accepts: 'version' } as const
const MODE = { kind: 'text', summary, accepts: 'mode' } as const
const ACCOUNT = { kind: 'text', summary, accepts: 'account' } as const
const SET = { kind: 'list', items: { kind: 'text', summary }, summary, accepts: 'set' } as const
const LIST = { ...SET, accepts: 'list' } as const

test.each<[string, PropertySpec, unknown]>([
  ['a text alone', TEXT, ''],
  ['patterns', TEXT, { matches: 'a+', not_matches: '(?i)AA', fix: 'a' }],
  ['numbers', NUMBER, { at_least: 1, at_most: 365, fix: 90 }],
  ['durations', DURATION, { at_least: '1h', at_most: '1d', fix: '90m' }],
  ['sizes', SIZE, { at_least: '1000', at_most: '1 MiB', fix: '8K' }],
  ['a size of nothing', SIZE, { at_most: 0 }],
  ['versions', VERSION, { at_least: '1:1.2~rc1', not: '1:1.2', fix: '1:1.3-1' }],
  ['a word in place of a version, which the type judges', VERSION, 'latest'],
  ['versions that contradict each other for dpkg alone', VERSION, { at_most: '1.2', fix: '1.2-3' }],
  ['modes', MODE, { at_most: '0750', fix: '0700' }],
  ['a mode alone, and none', MODE, '0750'],
  ['no mode', MODE, ''],
  ['accounts', ACCOUNT, { one_of: ['root', '4294967294'] }],
  ['sets', SET, { includes: ['a'], excludes: ['b'], fix: ['c', 'a'] }],
  ['a set in another order', SET, { is: ['a', 'b'], fix: ['b', 'a'] }],
])('%s may be meant', (_title, spec, value) => {
  expect(problems(spec, value)).toEqual([])
})

const CONTRADICTION = 'value has conditions that are mutually exclusive: no value meets all of them'
const UNACCEPTED = 'value has a value under "fix" that it does not accept'

test.each<[string, PropertySpec, unknown, string]>([
  ['a word of another order', TEXT, { at_most: 'a' }, 'unknown word "at_most" in value'],
  ['a misspelt word', NUMBER, { atleast: 1 }, 'did you mean "at_least"?'],
  ['nothing but a fix', NUMBER, { fix: 1 }, 'value must set a condition'],
  ['an empty list', NUMBER, { one_of: [] }, 'value.one_of cannot be empty'],
  ['an empty list of items', SET, { includes: [] }, 'value.includes cannot be empty'],
  ['an empty version', VERSION, { not: '' }, 'value.not cannot be empty'],
  ['a value of another kind', NUMBER, { at_least: 'many' }, 'value.at_least must be a whole number, found text "many"'],
  ['an item of another kind', SET, { includes: [['a']] }, 'value.includes[0] must be text, found a list'],
  ['an acceptance in an acceptance', NUMBER, { is: { at_most: 1 } }, 'value.is must be a whole number, found a map'],
  ['an invalid pattern', TEXT, { matches: '(' }, 'value has a pattern that is not a regular expression (RE2)'],
  [
    'two halves of a pattern',
    TEXT,
    { not_matches: 'a)|(b' },
    'value has a pattern that is not a regular expression (RE2)',
  ],
  ['a text that does not match', TEXT, { matches: 'a', fix: 'aa' }, UNACCEPTED],
  ['a text that does', TEXT, { not_matches: 'a.', fix: 'aa' }, UNACCEPTED],
  ['texts none of which matches', TEXT, { one_of: ['a', 'b'], matches: 'c' }, CONTRADICTION],
  ['an invalid size', SIZE, { at_most: '1 parsec' }, 'value.at_most "1 parsec" is not a size'],
  ['sizes by their bytes', SIZE, { at_least: '1MiB', at_most: '1MB' }, CONTRADICTION],
  ['durations by their length', DURATION, { at_least: '90m', at_most: '1h' }, CONTRADICTION],
  ['a version that is a word', VERSION, { one_of: ['1.2', 'latest'] }, 'value.one_of "latest" is not a version'],
  ['versions by their order', VERSION, { at_least: '1.10', at_most: '1.9' }, CONTRADICTION],
  ['a version that is not accepted', VERSION, { at_least: '1.10', fix: '1.9' }, UNACCEPTED],
  ['an invalid mode in a bound', MODE, { at_most: '64' }, 'value.at_most "64" lacks the digit of the owner'],
  ['an invalid mode as the value', MODE, '0888', 'value "0888" is not a valid octal number'],
  ['modes by their bits', MODE, { at_least: '0700', at_most: '0640' }, CONTRADICTION],
  ['an invalid id', ACCOUNT, { not: '4294967295' }, 'value.not "4294967295" is out of range'],
  ['an item that is both included and excluded', SET, { includes: ['a', 'b'], excludes: ['b'] }, CONTRADICTION],
  ['a list that lacks an item', LIST, { includes: ['a'], fix: ['b'] }, UNACCEPTED],
  ['a list in another order', LIST, { is: ['a', 'b'], fix: ['b', 'a'] }, UNACCEPTED],
])('%s is a problem', (_title, spec, value, message) => {
  const found = problems(spec, value)
  expect(found).toHaveLength(1)
  expect(found[0]).toContain(message)
})

test('no problem quotes a secret', () => {
  const secret = withSecretValues(typeWith(MODE))
  for (const value of ['0888', { at_most: '0888' }, { one_of: ['0600', '888'] }]) {
    const decoded = decodeProperties(secret, { name: 'x', value })
    expect(decoded.ok ? '' : decoded.violations[0]?.message).toContain('is not a valid octal number')
    expect(JSON.stringify(decoded)).not.toContain('888')
  }
})

test.each<[string, object, string]>([
  ['an order of another kind', { kind: 'integer', accepts: 'version' }, 'accepts values in the order "version"'],
  ['an order of a kind without one', { kind: 'boolean', accepts: 'text' }, 'has "accepts"'],
  ['an order that does not exist', { kind: 'text', accepts: ['is'] }, 'accepts values in the order "is"'],
  [
    'a list of maps',
    { kind: 'list', accepts: 'set', items: { kind: 'map', summary, values: { kind: 'text', summary } } },
    'accepts lists of kind map, which cannot be compared',
  ],
])('%s is a mistake of the definition', (_title, spec, message) => {
  expect(() => typeWith({ summary, ...spec } as PropertySpec)).toThrow(message)
})
