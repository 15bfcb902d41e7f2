import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fromPlain, stringMap, type GoValue } from '../../../src/templates/govalue/index.ts'
import { createLookup, type LookupSource } from '../../../src/policy/template/lookup.ts'

const sourceOf = (facts: unknown, data: unknown = {}): LookupSource => ({
  facts: () => fromPlain(facts),
  data: () => fromPlain(data),
  environ: () => stringMap([['HOME', '/root']]),
})

const data = { port: 8080, ratio: 0.5, whole: 2.0, off: false, none: null, list: [1, 2.5], 'a.b': { '<c>': 'x&y' } }
const lookup = createLookup(sourceOf({ host: { name: 'web01' } }, data))

test.each<[string, GoValue | undefined]>([
  ['data.port', 8080n],
  ['data.ratio', 0.5],
  ['data.whole', 2n],
  ['data.off', false],
  ['data.none', null],
  ['data.list', [1n, 2.5]],
  ['data.list.#', 2n],
  ['data.a\\.b.<c>', 'x&y'],
  ['data.missing', undefined],
  ['facts.host.name', 'web01'],
  ['facts|host|name', 'web01'],
  ['environ.HOME', '/root'],
  ['environ.MISSING', undefined],
  ['Data.port', undefined],
  ['', undefined],
  ['dat?.port', 8080n],
  ['@keys', ['data', 'environ', 'facts']],
  [
    '{data.port,facts.host.name}',
    new Map<GoValue, GoValue>([
      ['port', 8080n],
      ['name', 'web01'],
    ]),
  ],
])('%s', (path, value) => {
  expect(lookup(path)).toEqual(value)
})

test('facts are only asked for when a path may reach them, and once', () => {
  let asked = 0
  const counting = createLookup({ ...sourceOf({}), facts: () => ((asked += 1), new Map()) })
  counting('data.x')
  counting('environ.HOME')
  expect(asked).toBe(0)
  counting('facts.x')
  counting('facts.y')
  expect(asked).toBe(1)
})

test('more paths than are remembered are all answered', () => {
  const many = createLookup(sourceOf({}, { list: Array.from({ length: 2500 }, (_, index) => index) }))
  for (const round of [1, 2]) {
    for (let index = 0; index < 2500; index += 1)
      expect([round, many(`data.list.${index}`)]).toEqual([round, BigInt(index)])
  }
})

test('a path that is too expensive is an error, not a missing value', () => {
  expect(() => lookup(`[@this,@this]${'|[@this,@this]'.repeat(60)}`)).toThrow(/too expensive/)
})

const key = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 })
const leaf = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
  fc.double({ noNaN: true }),
)
const escapeKey = (name: string): string => name.replaceAll(/[^\p{L}\p{N}]/gu, String.raw`\$&`)

test('the path of generated keys finds the generated value', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(key, key, leaf), { minLength: 1, maxLength: 5 }), leaf, (steps, value) => {
      fc.pre(typeof value !== 'number' || Number.isFinite(value))
      fc.pre(steps.every(([, , other]) => typeof other !== 'number' || Number.isFinite(other)))
      // Every level holds the step on the path beside another key.
      const document = steps.reduceRight<GoValue>(
        (below, [name, other, noise]) =>
          new Map<GoValue, GoValue>([
            [other, fromPlain(noise)],
            [name, below],
          ]),
        fromPlain(value),
      )
      const found = createLookup({ ...sourceOf({}), data: () => document })(
        ['data', ...steps.map(([name]) => escapeKey(name))].join('.'),
      )
      const isWholeFloat = typeof value === 'number' && Number.isInteger(value) && Math.abs(value) < 2 ** 63
      // Whole floats become integers by way of JSON, where a float is its shortest digits: 2^53 and more have fewer of them.
      expect(found).toEqual(isWholeFloat ? BigInt(String(value)) : fromPlain(value))
    }),
  )
})
