import { expect, test } from 'vitest'
import { checkPlugin, type Taken } from '../../src/plugin/check-plugin.ts'
import { definePlugin } from '../../src/plugin/define-plugin.ts'
import type { ReportFormat } from '../../src/report/format.ts'
import { defineProperties, defineResource, type ResourceType } from '../../src/resource-type/define.ts'
import { absent } from '../../src/model/observation.ts'
import { NO_PLAN } from '../../src/model/decision.ts'
import type { PropertySpec } from '../../src/model/property.ts'

const NOTHING: Taken = { types: new Map(), reportFormats: new Map(), fileNames: new Map() }
const csv: ReportFormat = { name: 'csv', summary: 'Lines', fileName: 'drift.csv', render: () => '' }

/** A type with this name and property, even one that defineResource would have refused. */
function typeNamed(type: string, spec: PropertySpec = { kind: 'text', summary: 'Something' }): ResourceType {
  const sound = defineResource({
    type: 'sound',
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
  const checked = checkPlugin({ plugin: { apiVersion: 1, ...members } }, taken)
  return 'problems' in checked ? checked.problems : []
}

test('a plugin gives its types and report formats as they are', () => {
  const owner = typeNamed('file.owner')
  const plugin = definePlugin({ apiVersion: 1, types: [owner], reportFormats: [csv] })
  expect(checkPlugin({ plugin, default: plugin }, NOTHING)).toEqual({ types: [owner], reportFormats: [csv] })
  expect(checkPlugin({ plugin: definePlugin({ apiVersion: 1 }) }, NOTHING)).toEqual({ types: [], reportFormats: [] })
})

test('a type that another version of driftgate made is refused, whoever exports it', () => {
  const [brand] = Object.getOwnPropertySymbols(typeNamed('a'))
  const later = { ...typeNamed('a'), [brand ?? '']: 2 }
  expect(problemsOf({ types: [later] })).toEqual([
    'types[0] is written for version 2 of the plugin API; this driftgate has 1',
  ])
})

test.each(['file.owner', 'a', 'x509-certificate', 'a_b.c-d.e1'])('a type may be called %s', (name) => {
  expect(problemsOf({ types: [typeNamed(name)] })).toEqual([])
})

test.each(['', 'File', '1a', 'a.', '.a', 'a..b', 'a#b', 'a b', 'a:b', 'a*', 'a,b', '__proto__', 'a'.repeat(65)])(
  'a type may not be called %j',
  (name) => {
    expect(problemsOf({ types: [typeNamed(name)] })).toEqual([expect.stringContaining('cannot be the name of a type')])
  },
)

test('names that are taken are told with who has them, and names that are there twice', () => {
  const taken: Taken = {
    types: new Map([['file', 'driftgate itself']]),
    reportFormats: new Map([['csv', 'plugin ./other.js']]),
    fileNames: new Map([['drift.csv', 'plugin ./other.js']]),
  }
  expect(
    problemsOf({ types: ['file', 'own', 'own'].map((name) => typeNamed(name)), reportFormats: [csv] }, taken),
  ).toEqual([
    'the type "file" belongs to driftgate itself already',
    'it has the type "own" twice',
    'the report format "csv" belongs to plugin ./other.js already',
    'the report file "drift.csv" belongs to plugin ./other.js already',
  ])
})

const broken: PropertySpec = { kind: 'text', summary: 'No', pattern: { expression: '(', describes: 'nothing' } }

test.each<PropertySpec>([
  broken,
  { kind: 'list', summary: 'Several', items: broken },
  { kind: 'map', summary: 'Several', values: broken },
])('a pattern that is no regular expression is told before a policy is read: $kind', (spec) => {
  expect(problemsOf({ types: [typeNamed('a', spec)] })).toEqual([
    expect.stringContaining('the pattern of property "value" of type "a" is no regular expression'),
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
  [{ plugin: null }, 'its export `plugin` is no object'],
  [{ plugin: { apiVersion: '1' } }, 'it has the apiVersion "1"; this driftgate has 1'],
  [{ plugin: { apiVersion: 1, reportFormats: 'csv' } }, 'its `reportFormats` are no list'],
])('a module that exports %j is none of a plugin', (module, message) => {
  expect(checkPlugin(module, NOTHING)).toEqual({ problems: [expect.stringContaining(message)] })
})
