import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { PropertySpec } from '../../src/model/property.ts'
import { checkLiterals, decodeProperties } from '../../src/resource-type/decode.ts'
import { editorSchema } from '../../src/policy/schema/editor.ts'
import { defineResource, differences, present, type ResourceType } from '../../src/index.ts'
import { cases } from '../support/soak.ts'

const summary = 'Something.'

const scalar: fc.Arbitrary<PropertySpec> = fc.oneof(
  fc.record({ kind: fc.constant('text' as const), summary: fc.constant(summary), nonEmpty: fc.boolean() }),
  fc.record({ kind: fc.constant('text' as const), summary: fc.constant(summary), absolutePath: fc.boolean() }),
  fc.record({
    kind: fc.constant('text' as const),
    summary: fc.constant(summary),
    oneOf: fc.uniqueArray(fc.string(), { minLength: 1, maxLength: 3 }),
  }),
  fc.record({ kind: fc.constant('boolean' as const), summary: fc.constant(summary) }),
  fc.record({ kind: fc.constant('duration' as const), summary: fc.constant(summary), sensitive: fc.boolean() }),
  fc.record({
    kind: fc.constant('integer' as const),
    summary: fc.constant(summary),
    base: fc.integer({ min: 2, max: 36 }),
    minimum: fc.integer({ max: 0 }),
  }),
  fc.record({ kind: fc.constant('any' as const), summary: fc.constant(summary) }),
)

const spec: fc.Arbitrary<PropertySpec> = fc.oneof(
  scalar,
  fc.record({
    kind: fc.constant('list' as const),
    summary: fc.constant(summary),
    items: scalar,
    nonEmpty: fc.boolean(),
  }),
  fc.record({
    kind: fc.constant('map' as const),
    summary: fc.constant(summary),
    values: scalar,
    nonEmpty: fc.boolean(),
  }),
)

/** What YAML and templates can give, and some that neither can. */
const value = fc.oneof(
  fc.anything({ withBigInt: true, withMap: true, withDate: true, withNullPrototype: true }),
  fc.constantFrom('', '0', '-', '0x', '/', '/..', 'true', null, undefined, Number.NaN, -0, 2n ** 70n, [], {}),
)

function typeOf(a: PropertySpec, b: PropertySpec): ResourceType {
  return defineResource({
    type: 'fuzzed',
    summary,
    properties: { a, b } as Record<string, PropertySpec>,
    exclusive: [['a', 'b']],
    drifts: ['a'],
    examples: [],
    observe: () => present(1),
    decide: () => differences<string>([]),
    apply: async () => ({ kind: 'done' }),
  })
}

test('every value of every property decodes or has a message', () => {
  fc.assert(
    fc.property(spec, spec, value, value, (first, second, a, b) => {
      const type = typeOf(first, second)
      const decoded = decodeProperties(type, { name: 'x', a, b })
      if (decoded.ok) expect(decoded.values).toHaveProperty('name', 'x')
      else for (const { message } of decoded.violations) expect(message).not.toBe('')
      expect(() => checkLiterals(type, { name: 'x', a, b }, (text) => text.includes('{{'))).not.toThrow()
    }),
    { numRuns: cases({ usual: 300, soak: 20_000 }) },
  )
})

test('every property has an editor schema', () => {
  fc.assert(
    fc.property(spec, spec, (first, second) => {
      expect(() => JSON.stringify(editorSchema([typeOf(first, second)]))).not.toThrow()
    }),
    { numRuns: 200 },
  )
})
