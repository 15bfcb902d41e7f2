import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Drift } from '../../src/core/drift.ts'
import type { PolicyResult, ResourceResult, Run } from '../../src/core/run.ts'
import type { DriftFate } from '../../src/core/baseline.ts'
import { type Cause, compareRuns } from '../../src/findings/compare.ts'
import { mergeRuns } from '../../src/findings/merge.ts'
import { comparisonJson } from '../../src/report/comparison/index.ts'
import { arbitraryRun } from '../support/arbitrary-run.ts'
import { policyResult, resourceResult, runOf } from '../support/run.ts'

const OTHER_VERSION = 'f'.repeat(64)
const mode: Drift = { property: 'mode', desired: '0600', observed: '0644' }
const owner: Drift = { property: 'owner', desired: 'root', observed: 'nobody' }

function drifted(...drift: readonly Drift[]): ResourceResult {
  return resourceResult({ verdict: 'drifted', change: 'will', drift })
}

function run(resources: readonly ResourceResult[], policy: Partial<PolicyResult> = {}, fields: Partial<Run> = {}): Run {
  return runOf({ policies: [policyResult({ resources, ...policy })], ...fields })
}

const interrupted = { run: { ...runOf().run, interrupted: true } }
const unread = { property: 'mode', reason: 'permission-denied', detail: 'denied' } as const

test.each<[string, Run, Run, DriftFate, Cause | undefined]>([
  ['the same values', run([drifted(mode)]), run([drifted(mode)]), 'unchanged', undefined],
  ['another observed value', run([drifted(mode)]), run([drifted({ ...mode, observed: '0666' })]), 'changed', 'machine'],
  ['another desired value', run([drifted(mode)]), run([drifted({ ...mode, desired: '0400' })]), 'changed', 'policy'],
  [
    'two other values',
    run([drifted(mode)]),
    run([drifted({ ...mode, desired: '0400', observed: '0666' })]),
    'changed',
    'both',
  ],
  ['what matched, same policy', run([resourceResult()]), run([drifted(mode)]), 'new', 'machine'],
  [
    'what matched, other policy',
    run([resourceResult()], { sha256: OTHER_VERSION }),
    run([drifted(mode)]),
    'new',
    'unclear',
  ],
  ['a resource that was not there', run([], { sha256: OTHER_VERSION }), run([drifted(mode)]), 'new', 'policy'],
  [
    'a resource nobody could see',
    run([resourceResult({ verdict: 'error', reason: 'timeout' })]),
    run([drifted(mode)]),
    'new',
    'unclear',
  ],
  ['what matches now', run([drifted(mode)]), run([resourceResult()]), 'resolved', 'machine'],
  [
    'what a fix repaired',
    run([drifted(mode)]),
    run([resourceResult({ verdict: 'fixed', drift: [mode] })], { sha256: OTHER_VERSION }),
    'resolved',
    'machine',
  ],
  [
    'what matches another policy now',
    run([drifted(mode)]),
    run([resourceResult()], { sha256: OTHER_VERSION }),
    'resolved',
    'unclear',
  ],
  [
    'an error now',
    run([drifted(mode)]),
    run([resourceResult({ verdict: 'error', reason: 'timeout' })]),
    'incomparable',
    undefined,
  ],
  ['blocked now', run([drifted(mode)]), run([resourceResult({ verdict: 'blocked' })]), 'incomparable', undefined],
  [
    'not applicable now',
    run([drifted(mode)]),
    run([resourceResult({ verdict: 'not-applicable' })]),
    'incomparable',
    undefined,
  ],
  ['another selection', run([drifted(mode)]), run([]), 'incomparable', undefined],
  ['a policy without it', run([drifted(mode)]), run([], { sha256: OTHER_VERSION }), 'incomparable', undefined],
  ['another policy', run([drifted(mode)]), run([], { id: 'other' }), 'incomparable', undefined],
  ['an interruption', run([drifted(mode)]), run([], {}, interrupted), 'incomparable', undefined],
])('%s', (...[, before, after, fate, cause]) => {
  const { drift, counts } = compareRuns(before, after)
  expect(drift.map((each) => [each.fate, each.cause])).toEqual([[fate, cause]])
  expect(counts[fate]).toBe(1)
  expect(drift[0]?.why !== undefined).toBe(fate === 'incomparable')
})

test('a property that cannot be read any more is not resolved because another one is', () => {
  const after = run([resourceResult({ verdict: 'drifted', drift: [{ ...owner, observed: 'www' }], unknown: [unread] })])
  const { drift } = compareRuns(run([drifted(mode, owner)]), after)
  expect(drift.map(({ property, fate }) => [property, fate])).toEqual([
    ['owner', 'changed'],
    ['mode', 'incomparable'],
  ])
})

test('what remains after a fix counts, what the fix repaired is resolved', () => {
  const after = run([resourceResult({ verdict: 'fix-failed', drift: [mode, owner], remaining: [owner] })])
  const { counts } = compareRuns(run([drifted(mode, owner)]), after)
  expect(counts).toEqual({ new: 0, changed: 0, unchanged: 1, resolved: 1, incomparable: 0 })
})

test('a thing that is gone is another finding than one that differs', () => {
  const missing: Drift = { property: 'ensure', desired: 'present', observed: 'absent' }
  const wrong: Drift = { property: 'ensure', desired: 'present', observed: 'directory' }
  const { counts } = compareRuns(run([drifted(wrong)]), run([drifted(missing)]))
  expect(counts).toMatchObject({ new: 1, resolved: 1, changed: 0 })
})

test('a title, a line and a time are no part of a finding', () => {
  const moved = { ...drifted(mode), source: { file: 'elsewhere.yaml', line: 99, column: 1 }, durationMs: 7 }
  const after = run([moved], { title: 'Renamed', version: '2.0.0', sha256: OTHER_VERSION })
  expect(compareRuns(run([drifted(mode)]), after).counts.unchanged).toBe(1)
})

test('merged reports are compared machine by machine', () => {
  const on = (hostname: string, ...drift: readonly Drift[]): Run =>
    run([drifted(...drift)], {}, { target: { kind: 'local', hostname, os: { id: 'debian', version: '12' } } })
  const before = mergeRuns([on('web01', mode), on('web02', owner)])
  const after = mergeRuns([on('web02', owner), on('web01', mode, owner)])
  const { drift } = compareRuns(before, after)
  expect(drift.map(({ hostname, property, fate }) => [hostname, property, fate])).toEqual([
    ['web02', 'owner', 'unchanged'],
    ['web01', 'mode', 'unchanged'],
    ['web01', 'owner', 'new'],
  ])
})

test('verdicts that change are told, with resources that come and go', () => {
  const before = run([resourceResult(), resourceResult({ name: '/gone' })])
  const after = run([resourceResult({ verdict: 'error', reason: 'timeout' }), resourceResult({ name: '/new' })])
  expect(compareRuns(before, after).resources.map((each) => [each.resource, each.before, each.after])).toEqual([
    ['file#/etc/motd', 'compliant', 'error'],
    ['file#/new', undefined, 'compliant'],
    ['file#/gone', 'compliant', undefined],
  ])
})

const schema: object = JSON.parse(
  readFileSync(new URL('../../schemas/comparison.schema.json', import.meta.url), 'utf8'),
  (_key, value) => (value?.type === 'object' ? { ...value, additionalProperties: false } : value),
)
const validate = new Ajv2020({ allowUnionTypes: true }).compile(schema)

test('whatever is compared follows the schema, which describes every field', () => {
  fc.assert(
    fc.property(arbitraryRun, arbitraryRun, (before, after) => {
      validate(JSON.parse(comparisonJson(compareRuns(before, after))))
      expect(validate.errors).toBeNull()
    }),
  )
})

test('a run compared with itself has nothing new, changed or resolved', () => {
  fc.assert(
    fc.property(arbitraryRun, (same) => {
      const { counts, resources } = compareRuns(same, same)
      expect([counts.new, counts.changed, counts.resolved, resources]).toEqual([0, 0, 0, []])
    }),
  )
})
