import { expect, test } from 'vitest'
import { checkPlugin, type Taken } from '../../src/plugin/check-plugin.ts'
import { defineFacts, definePlugin, defineSurface, type SurfaceDefinition } from '../../src/index.ts'
import type { ReportFormat } from '../../src/report/format.ts'
import { defineProperties, defineResource, type ResourceType } from '../../src/resource-type/define.ts'
import { absent } from '../../src/model/observation.ts'
import { NO_PLAN } from '../../src/model/decision.ts'
import type { PropertySpec } from '../../src/model/property.ts'

const NOTHING: Taken = {
  types: new Map(),
  reportFormats: new Map(),
  fileNames: new Map(),
  surfaces: new Map(),
  facts: new Map(),
}
const csv: ReportFormat = { name: 'csv', summary: 'Lines', fileName: 'drift.csv', render: () => '' }

/** A type with this name and property, even one that defineResource would have refused. */
function typeNamed(type: string, spec: PropertySpec = { kind: 'text', summary: 'Something' }): ResourceType {
  const sound = defineResource({
    type: 'sound',
    uses: ['files'],
    summary: 'Something',
    properties: defineProperties({ value: { kind: 'text', summary: 'Something' } }),
    drifts: ['value'],
    examples: [],
    providers: [{ name: 'posix', observe: () => absent(), apply: () => Promise.resolve({ kind: 'done' }) }],
    decide: () => ({ ensure: { desired: 'present', observed: 'absent' }, drift: [], unknown: [], plan: NO_PLAN }),
  })
  return { ...sound, type, properties: { value: spec } }
}

/** What is wrong with a module whose plugin has these members. */
function problemsOf(members: object, taken: Taken = NOTHING): readonly string[] {
  const checked = checkPlugin({ plugin: { apiVersion: 2, ...members } }, taken)
  return 'problems' in checked ? checked.problems : []
}

test('a plugin gives its types and report formats as they are', () => {
  const owner = typeNamed('file.owner')
  const plugin = definePlugin({ apiVersion: 2, types: [owner], reportFormats: [csv] })
  expect(checkPlugin({ plugin, default: plugin }, NOTHING)).toEqual({
    types: [owner],
    reportFormats: [csv],
    surfaces: [],
    facts: [],
    notes: [],
  })
  expect(checkPlugin({ plugin: definePlugin({ apiVersion: 2 }) }, NOTHING)).toEqual({
    types: [],
    reportFormats: [],
    surfaces: [],
    facts: [],
    notes: [],
  })
})

test('a type that another version of driftgate made is refused in any plugin', () => {
  const [brand] = Object.getOwnPropertySymbols(typeNamed('a'))
  const later = { ...typeNamed('a.b'), [brand ?? '']: 3 }
  expect(problemsOf({ types: [later] })).toEqual([
    'types[0] is written for version 3 of the plugin API; this driftgate has 2',
  ])
})

test.each(['file.owner', 'x509.certificate-1', 'a_b.c-d.e1'])('a type may be called %s', (name) => {
  expect(problemsOf({ types: [typeNamed(name)] })).toEqual([])
})

test.each([
  '',
  'a',
  'File',
  '1a',
  'a.',
  '.a',
  'a..b',
  'a#b',
  'a b',
  'a:b',
  'a*',
  'a,b',
  '__proto__',
  `a.${'a'.repeat(63)}`,
])('a type may not be called %j', (name) => {
  expect(problemsOf({ types: [typeNamed(name)] })).toEqual([expect.stringContaining('cannot be the name of a type')])
})

test('names that are taken are told with who has them, and names that are there twice', () => {
  const taken: Taken = {
    types: new Map([['my.file', 'plugin ./other.js']]),
    reportFormats: new Map([['csv', 'plugin ./other.js']]),
    fileNames: new Map([['drift.csv', 'plugin ./other.js']]),
    surfaces: new Map(),
    facts: new Map(),
  }
  expect(
    problemsOf({ types: ['my.file', 'my.own', 'my.own'].map((name) => typeNamed(name)), reportFormats: [csv] }, taken),
  ).toEqual([
    'the type "my.file" is already taken by plugin ./other.js',
    'it has the type "my.own" twice',
    'the report format "csv" is already taken by plugin ./other.js',
    'the report file "drift.csv" is already taken by plugin ./other.js',
  ])
})

const broken: PropertySpec = { kind: 'text', summary: 'No', pattern: { expression: '(', describes: 'nothing' } }

test.each<PropertySpec>([
  broken,
  { kind: 'list', summary: 'Several', items: broken },
  { kind: 'map', summary: 'Several', values: broken },
])('a pattern that is no regular expression is told before a policy is read: $kind', (spec) => {
  expect(problemsOf({ types: [typeNamed('a.b', spec)] })).toEqual([
    expect.stringContaining('the pattern of property "value" of type "a.b" is not a regular expression'),
  ])
})

test.each<[unknown]>([
  [{ name: 'csv', summary: 'Lines' }],
  [{ name: 'csv', render: () => '' }],
  [{ summary: 'Lines', render: () => '' }],
  ['csv'],
  [null],
])('%j is no report format', (format) => {
  expect(problemsOf({ reportFormats: [format] })).toEqual([expect.stringContaining('reportFormats[0] is no')])
})

test.each([
  [{}, 'it exports nothing'],
  [{ default: 1, plugins: [] }, 'it exports only default, plugins'],
  [{ plugin: null }, 'its export `plugin` is not an object'],
  [{ plugin: { apiVersion: '1' } }, 'it has the apiVersion "1"; this driftgate has 2'],
  [{ plugin: { apiVersion: 2, reportFormats: 'csv' } }, 'its `reportFormats` are not a list'],
])('a module that exports %j is not a plugin', (module, message) => {
  expect(checkPlugin(module, NOTHING)).toEqual({ problems: [expect.stringContaining(message)] })
})

test('a plugin of the version before works, with a note, and its types need not say what they use', () => {
  const { uses: _, ...old } = typeNamed('acme.old')
  expect(problemsOf({ types: [old] })).toEqual(['type "acme.old" has no uses: add a list of files, commands, network'])
  expect(checkPlugin({ plugin: { apiVersion: 1, types: [old] } }, NOTHING)).toMatchObject({
    types: [old],
    notes: [expect.stringContaining('is written for version 1 of the plugin API')],
  })
})

test('surfaces and facts are those of their makers, and have names of their own', () => {
  const redis = defineSurface({ name: 'acme.redis', summary: 'Redis.', files: ['/etc/redis.conf'], format: 'space' })
  const site = defineFacts({ name: 'site', summary: 'The site.', gather: () => ({ kind: 'known', value: {} }) })
  expect(problemsOf({ surfaces: [redis], facts: [site] })).toEqual([])
  const taken = { ...NOTHING, surfaces: new Map([['acme.redis', 'plugin ./other.js']]) }
  expect(problemsOf({ surfaces: [redis], facts: [site, site] }, taken)).toEqual([
    '"acme.redis" of its surfaces is already taken by plugin ./other.js',
    'it has facts called "site" twice',
  ])
  expect(problemsOf({ surfaces: [{ name: 'acme.redis' }], facts: [null] })).toEqual([
    'surfaces[0] was not made by defineSurface',
    'facts[0] was not made by defineFacts',
  ])
})

test.each<[what: Partial<SurfaceDefinition>, problem: string]>([
  [{ name: 'redis' }, 'its name needs a dot'],
  [{ files: ['redis.conf'] }, '"redis.conf" is not an absolute path'],
  [{ files: ['/etc/redis.conf', '/etc/redis.d/*.conf'] }, '/etc/redis.d/*.conf is a pattern'],
  [{ format: 'yaml' as 'ini' }, 'its format is one of space, equals, ini'],
])('a surface with %j is refused', (wrong, problem) => {
  const sound = { name: 'acme.redis', summary: 'Redis.', files: ['/etc/redis.conf'], format: 'space' } as const
  expect(() => defineSurface({ ...sound, ...wrong })).toThrow(problem)
})

test('facts whose name no template can read are refused', () => {
  expect(() => defineFacts({ name: 'my-site', summary: '', gather: () => ({ kind: 'known', value: {} }) })).toThrow(
    'facts "my-site": the name must consist of a-z, 0-9 and _',
  )
})
