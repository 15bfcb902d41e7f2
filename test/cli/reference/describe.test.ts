import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseDuration } from '../../../src/model/duration.ts'
import { describeTypes } from '../../../src/cli/reference/describe.ts'
import { facetsOf, rowsOf } from '../../../src/cli/reference/facets.ts'
import { formatDuration } from '../../../src/cli/reference/words.ts'
import { defineProperties, type ResourceType } from '../../../src/resource-type/define.ts'
import { resourceTypes } from '../../support/resource-types.ts'
import { gadget, policyOf, problemsOf } from '../../policy/support.ts'

/** A type that is as `gadget` but for its properties. */
function typeWith(properties: ResourceType['properties']): ResourceType {
  return { ...gadget, properties, rules: [] }
}

const everything = typeWith(
  defineProperties({
    path: { kind: 'text', required: true, nonEmpty: true, absolutePath: true, summary: 'A.' },
    ensure: { kind: 'text', oneOf: ['here', 'gone'], default: 'here', parameter: true, summary: 'B.' },
    digits: { kind: 'text', pattern: { expression: '[0-9]+', describes: 'digits' }, phase: 'never', summary: 'C.' },
    secret: { kind: 'text', sensitive: true, phase: 'deferred', aliases: ['password', 'token'], summary: 'D.' },
    count: { kind: 'integer', minimum: 1, maximum: 9, default: 3, summary: 'E.' },
    least: { kind: 'integer', minimum: 0, summary: 'F.' },
    most: { kind: 'integer', maximum: 7, summary: 'G.' },
    wait: { kind: 'duration', default: 90_000, summary: 'H.' },
    names: { kind: 'list', nonEmpty: true, items: { kind: 'text', oneOf: ['a', 'b'], summary: 'I.' }, summary: 'J.' },
    table: {
      kind: 'list',
      items: { kind: 'map', values: { kind: 'integer', minimum: 2, summary: 'K.' }, summary: 'L.' },
      summary: 'M.',
    },
    free: { kind: 'map', values: { kind: 'any', summary: 'N.' }, summary: 'O.' },
    loud: { kind: 'boolean', default: false, summary: 'P.' },
  }),
)

test('everything a property declares is said of it', () => {
  const [described] = describeTypes([everything]).types
  const said = described?.properties.flatMap(rowsOf).map((row) => [row.name, facetsOf(row).join(', '), row.summary])
  expect(said).toEqual([
    ['path', 'text, required, not empty, an absolute path', 'A.'],
    ['ensure', 'here | gone, default here, never compared', 'B.'],
    ['digits', 'text, digits, no templates', 'C.'],
    ['secret', 'text, sensitive, templates expanded after `control`, also password, token', 'D.'],
    ['count', 'integer, from 1 to 9, default 3', 'E.'],
    ['least', 'integer, at least 0', 'F.'],
    ['most', 'integer, at most 7', 'G.'],
    ['wait', 'duration, default 1m30s', 'H.'],
    ['names', 'list of text, not empty', 'J.'],
    ['names[]', 'a | b', 'I.'],
    ['table', 'list of map of integer', 'M.'],
    ['table[]', 'map of integer', 'L.'],
    ['table[].*', 'integer, at least 2', 'K.'],
    ['free', 'map of any', 'O.'],
    ['loud', 'boolean, default false', 'P.'],
  ])
})

test('a type says its values of ensure, rules, drifts, providers and exported values', () => {
  const type = {
    ...everything,
    rules: [
      { summary: 'Both or none.', reads: ['count', 'least'], check: () => undefined },
      { reads: ['count'], check: () => undefined },
      { summary: 'Both or none.', reads: ['least', 'count'], check: () => undefined },
    ],
    exclusive: [['count', 'most']],
    drifts: ['ensure', 'count'],
    providers: [{ name: 'plain' }, { name: 'fancy', platforms: ['linux', 'darwin'], needs: 'a screen' }],
    exports: { uid: { kind: 'integer' as const, summary: 'The id.' } },
  }
  expect(describeTypes([type]).types).toMatchObject([
    {
      type: 'gadget',
      ensure: ['here', 'gone'],
      rules: ['Only one of `count` or `most` can be set.', 'Both or none.'],
      drifts: ['ensure', 'count'],
      providers: [{ name: 'plain' }, { name: 'fancy', platforms: ['linux', 'darwin'], needs: 'a screen' }],
      exports: [{ name: 'uid', kind: 'integer', summary: 'The id.' }],
    },
  ])
})

test('a duration is written as it would be read', () => {
  expect(formatDuration(0)).toBe('0')
  fc.assert(
    fc.property(fc.nat(), (durationMs) => {
      expect(parseDuration(formatDuration(durationMs))).toBe(durationMs)
    }),
  )
})

const reference = describeTypes(resourceTypes)

test.each(reference.types.map(({ type, common }) => [type, common] as const))(
  'the shared properties that %s is said to take are those it takes',
  (type, common) => {
    const [example] = resourceTypes.find((each) => each.type === type)?.examples ?? []
    const problemsWith = (property: string): readonly string[] =>
      problemsOf(
        `ccm:\n  resources:\n    - ${example?.yaml.replace(/:$|: *\n/, `:\n  - defaults: {${property}: null}\n`).replaceAll('\n', '\n      ')}\n`,
      )
    for (const { name } of reference.common) {
      const isTaken = problemsWith(name).every((problem) => !problem.includes('unknown property'))
      expect(isTaken, name).toBe(common.includes(name))
    }
  },
)

test('the documented defaults of a health check are those in effect', () => {
  const keys = reference.common.find(({ name }) => name === 'health_checks')?.parts ?? []
  const normal = (key: string): unknown => keys.find(({ name }) => name === `health_checks[].${key}`)?.default
  const [resource] = policyOf(
    'ccm: {resources: [{gadget: {name: g, health_checks: [{command: /bin/check}]}}]}',
  ).resources
  expect(resource?.healthChecks).toMatchObject([
    {
      name: 'check',
      tries: normal('tries'),
      pauseMs: parseDuration(String(normal('try_sleep'))),
      timeoutMs: parseDuration(String(normal('timeout'))),
    },
  ])
})

test.each(resourceTypes.map((type) => [type.type, type] as const))(
  '%s says its conditions over several properties',
  (_, type) => {
    for (const { summary, reads } of type.rules) if (reads.length > 1) expect(summary, reads.join()).toMatch(/\.$/)
  },
)
