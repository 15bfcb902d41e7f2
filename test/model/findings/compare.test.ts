import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Drift } from '../../../src/model/drift.ts'
import type { PolicyResult, ResourceResult, Run } from '../../../src/model/run.ts'
import type { DriftFate } from '../../../src/model/baseline.ts'
import { type Cause, compareRuns } from '../../../src/model/findings/compare.ts'
import { mergeRuns } from '../../../src/model/findings/merge.ts'
import { comparisonJson, comparisonText, exitOfComparison } from '../../../src/report/comparison/index.ts'
import { arbitraryRun } from '../../support/arbitrary-run.ts'
import { policyResult, resourceResult, runOf } from '../../support/run.ts'

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
  ['a compliant resource drifted, same policy', run([resourceResult()]), run([drifted(mode)]), 'new', 'machine'],
  [
    'a compliant resource drifted, other policy',
    run([resourceResult()], { sha256: OTHER_VERSION }),
    run([drifted(mode)]),
    'new',
    'unclear',
  ],
  ['a resource that was not there', run([], { sha256: OTHER_VERSION }), run([drifted(mode)]), 'new', 'policy'],
  [
    'a resource that could not be observed drifted',
    run([resourceResult({ verdict: 'error', reason: 'timeout' })]),
    run([drifted(mode)]),
    'new',
    'unclear',
  ],
  ['a drifted resource is compliant now', run([drifted(mode)]), run([resourceResult()]), 'resolved', 'machine'],
  [
    'a fix reached the desired value',
    run([drifted(mode)]),
    run([resourceResult({ verdict: 'fixed', drift: [mode] })], { sha256: OTHER_VERSION }),
    'resolved',
    'machine',
  ],
  [
    'a drifted resource is compliant with another policy',
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

test('remaining drift of a fix counts, fixed drift is resolved', () => {
  const after = run([resourceResult({ verdict: 'fix-failed', drift: [mode, owner], remaining: [owner] })])
  const { counts } = compareRuns(run([drifted(mode, owner)]), after)
  expect(counts).toEqual({ new: 0, changed: 0, unchanged: 1, resolved: 1, incomparable: 0 })
})

const compliant = resourceResult()
const error = resourceResult({ verdict: 'error', reason: 'timeout' })

test.each<[string, Run, Run, number, string | undefined]>([
  ['compliant is an error now', run([compliant]), run([error]), 3, 'the resource was not observed: it is timeout'],
  ['compliant is blocked now', run([compliant]), run([resourceResult({ verdict: 'blocked' })]), 3, 'it is blocked'],
  [
    'the policy of a compliant resource is gone',
    run([compliant]),
    run([], { id: 'other', source: 'other.yaml', sha256: OTHER_VERSION }),
    3,
    'its policy was not',
  ],
  ['nothing was evaluated', run([compliant]), runOf({ policies: [] }), 3, 'its policy was not'],
  ['a compliant resource was not selected', run([compliant]), run([]), 3, 'was not selected'],
  ['the run was interrupted', run([compliant]), run([], {}, interrupted), 3, 'interrupted'],
  [
    'a property beside an unchanged drift cannot be read any more',
    run([drifted(mode)]),
    run([{ ...drifted(mode), unknown: [{ ...unread, property: 'owner' }] }]),
    3,
    'owner could not be read: permission-denied',
  ],
  ['a resource is no part of the policy any more', run([compliant]), run([], { sha256: OTHER_VERSION }), 0, undefined],
  ['an error is one still', run([error]), run([error]), 0, undefined],
  ['a resource in error is gone with its policy', run([error]), run([], { id: 'other' }), 0, undefined],
  [
    'a resource that was not applicable is an error',
    run([resourceResult({ verdict: 'not-applicable' })]),
    run([error]),
    0,
    undefined,
  ],
  ['an error is compliant', run([error]), run([compliant]), 0, undefined],
])('%s', (...[, before, after, code, why]) => {
  const comparison = compareRuns(before, after)
  expect(exitOfComparison(comparison)).toBe(code)
  const [lost] = comparison.resources.flatMap((each) => each.why ?? [])
  expect(lost).toEqual(why === undefined ? undefined : expect.stringContaining(why))
  if (why !== undefined)
    expect(comparisonText(comparison, { verbose: false, paint: (_tone, text) => text })).toContain(why)
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

test('one report of several machines and one of a single machine are compared by machine, too', () => {
  const on = (hostname: string): Run =>
    run([drifted(mode)], {}, { target: { kind: 'local', hostname, os: { id: 'debian', version: '12' } } })
  const both = mergeRuns([on('web01'), on('web02')])
  const hosts = (before: Run, after: Run): readonly (string | undefined)[] =>
    compareRuns(before, after).drift.map(({ hostname, fate }) => hostname && `${hostname} ${fate}`)
  expect(hosts(both, on('web01'))).toEqual(['web01 unchanged', 'web02 incomparable'])
  expect(hosts(on('web01'), both)).toEqual(['web01 unchanged', 'web02 new'])
  expect(hosts(on('web01'), on('web02'))).toEqual([undefined])
})

test('drift that a waiver accepts in the later run names it', () => {
  const { drift } = compareRuns(run([drifted(mode)]), run([drifted({ ...mode, waiver: 'w' } as Drift, owner)]))
  expect(drift.map(({ property, waiver }) => [property, waiver])).toEqual([
    ['mode', 'w'],
    ['owner', undefined],
  ])
})

test('values that are digests are the same where the digests are', () => {
  const secret = (digest: string): Drift => ({ ...mode, observed: { redacted: true, digest } })
  const content = (sha256: string, sizeBytes: number): Drift => ({ ...mode, observed: { sha256, sizeBytes } })
  const fate = (before: Drift, after: Drift): DriftFate | undefined =>
    compareRuns(run([drifted(before)]), run([drifted(after)])).drift[0]?.fate
  expect(fate(secret('a'), secret('a'))).toBe('unchanged')
  expect(fate(secret('a'), secret('b'))).toBe('changed')
  expect(fate(content('a', 1), content('a', 1))).toBe('unchanged')
  expect(fate(content('a', 1), content('b', 1))).toBe('changed')
  expect(fate(content('a', 1), { ...mode, observed: null })).toBe('new')
})

test('another desired ensure is a change of the policy, with any other values', () => {
  const wants = (desired: string): ResourceResult => resourceResult({ ensure: { desired, observed: 'present' } })
  const after = run([{ ...wants('absent'), verdict: 'drifted', change: 'will', drift: [mode] }])
  const cause = (past: ResourceResult): Cause | undefined =>
    compareRuns(run([past], { sha256: OTHER_VERSION }), after).drift[0]?.cause
  expect(cause(wants('present'))).toBe('policy')
  expect(cause(wants('absent'))).toBe('unclear')
})

test.each<[string, Drift]>([
  ['missing', { property: 'ensure', desired: 'present', observed: 'absent' }],
  ['missing', { property: 'owner', desired: 'root', observed: null }],
  ['unwanted', { property: 'ensure', desired: 'absent', observed: 'present' }],
  ['differs', mode],
])('the fingerprint of a property that is %s is stable: half a sha256 of its subject', (kind, drift) => {
  const parts = ['base', 'file#/etc/motd', '', drift.property, '', kind]
  const [found] = compareRuns(run([drifted(drift)]), run([])).drift
  expect(found?.fingerprint).toBe(createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32))
})

test('drift that is gone has the reason why it cannot be compared', () => {
  const policies = ['other', 'base'].map((id) =>
    policyResult({ id, source: `policies/${id}.yaml`, resources: [], sha256: id === 'base' ? OTHER_VERSION : '' }),
  )
  const why = (after: Run): string | undefined => compareRuns(run([drifted(mode)]), after).drift[0]?.why
  expect(why(runOf({ policies: policies.slice(0, 1) }))).toBe('its policy was not evaluated')
  expect(why(runOf({ policies }))).toContain('the policy has another version')
  expect(why(run([]))).toBe('the resource was not selected')
  expect(why(run([], {}, interrupted))).toBe('the run was interrupted before this resource')
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
  readFileSync(new URL('../../../schemas/comparison.schema.json', import.meta.url), 'utf8'),
  (_key, value) => (value?.type === 'object' ? { ...value, additionalProperties: false } : value),
)
const validate = new Ajv2020({ allowUnionTypes: true }).compile(schema)

test('every comparison follows the schema, which describes every field', () => {
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
