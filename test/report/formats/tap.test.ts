import fc from 'fast-check'
import { Parser, type Result } from 'tap-parser'
import { expect, test } from 'vitest'
import type { BaselineComparison } from '../../../src/model/baseline.ts'
import { withoutRollUps } from '../../../src/model/roll-up.ts'
import type { ResourceResult, Run } from '../../../src/model/run.ts'
import { renderReport } from '../../../src/report/index.ts'
import { arbitraryRun } from '../../support/arbitrary-run.ts'
import { hostileText } from '../../support/hostile-text.ts'
import { controlResult, policyResult, runOf, runWith } from '../../support/run.ts'
import { auditRun, emptyRun, fixRun, interruptedRun, invalidRun } from '../../support/sample-runs.ts'

interface Reading {
  readonly ok: boolean
  readonly bailout: unknown
  readonly points: readonly Result[]
  readonly failures: readonly string[]
}

/** The reading of a document by the parser of node-tap; in its strict mode any line that is not TAP is a failure. */
function parse(text: string): Promise<Reading> {
  return new Promise((resolve) => {
    const points: Result[] = []
    const parser = new Parser({ strict: true }, ({ ok, bailout, failures }) => {
      const tapErrors = failures.flatMap((failure) => (failure.tapError === null ? [] : [String(failure.tapError)]))
      resolve({ ok, bailout, points, failures: tapErrors })
    })
    parser.on('assert', (point: Result) => points.push(point))
    parser.end(text)
  })
}

async function read(run: Run): Promise<Reading> {
  const reading = await parse(await renderReport(run, 'tap'))
  expect(reading.failures).toEqual([])
  return reading
}

async function pointOf(fields: Partial<ResourceResult>): Promise<Result> {
  const [point] = (await read(runWith(fields))).points
  if (point === undefined) throw new Error('no test point')
  return point
}

test('starts with the version and has one test point per resource', async () => {
  const text = await renderReport(auditRun, 'tap')
  expect(text.split('\n')[0]).toBe('TAP version 13')
  expect(text).toContain('\n1..11\n')
  const { ok, points } = await parse(text)
  expect(ok).toBe(false)
  expect(points.map(({ id }) => id)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11])
  expect(points.filter((point) => !point.ok && point.todo === false)).toHaveLength(5)
})

const drift = [{ property: 'mode', desired: '0600', observed: '0644' }]

test.each<readonly [string, Partial<ResourceResult>, Partial<Result>]>([
  ['a compliant resource is ok', {}, { ok: true, skip: false, todo: false, diag: null }],
  ['a fixed resource is ok', { verdict: 'fixed', drift }, { ok: true, skip: false, todo: false }],
  ['drift is not ok', { verdict: 'drifted', drift }, { ok: false, skip: false, todo: false }],
  ['a failed fix is not ok', { verdict: 'fix-failed', drift }, { ok: false, skip: false, todo: false }],
  ['an error is not ok', { verdict: 'error', reason: 'timeout' }, { ok: false, skip: false, todo: false }],
  ['a blocked resource is not ok', { verdict: 'blocked' }, { ok: false, skip: false, todo: false }],
  [
    'a not applicable resource is skipped with its reason',
    { verdict: 'not-applicable', message: 'control.if is false' },
    { ok: true, skip: 'not applicable: control.if is false' },
  ],
])('%s', async (_case, fields, expected) => {
  expect(await pointOf(fields)).toMatchObject(expected)
})

test('accepted drift of a waiver is a TODO with approver and reason, and fails no run', async () => {
  const waiver = { id: 'w1', reason: 'replaced in May', approver: 'ops', expires: '2026-12-31', covers: ['mode'] }
  const run = runWith({
    verdict: 'waived',
    drift: [{ property: 'mode', desired: '0600', observed: '0644', waiver: 'w1' }],
    waivers: [
      { ...waiver, state: 'in-force' },
      { ...waiver, id: 'w0', expires: '2026-01-31', state: 'expired' },
    ],
  })
  const { ok, points } = await read(run)
  expect(ok).toBe(true)
  expect(points[0]).toMatchObject({ ok: false, todo: 'waived until 2026-12-31 by ops: replaced in May' })
})

test('known drift of the baseline is a TODO, and new drift beside it is not', async () => {
  const baseline: BaselineComparison = {
    source: 'old.json',
    runId: 'r0',
    startedAt: '2026-11-01T05:00:00.000Z',
    counts: { new: 0, changed: 0, unchanged: 1, resolved: 0, incomparable: 0 },
    resolved: [],
    incomparable: [],
  }
  const old = { property: 'mode', desired: '0600', observed: '0644', baseline: 'unchanged' as const }
  const fresh = { property: 'owner', desired: 'root', observed: 'bob', baseline: 'new' as const }
  const known = await read({ ...runWith({ verdict: 'drifted', drift: [old] }), baseline })
  expect(known.points[0]).toMatchObject({ ok: false, todo: 'known since the baseline of 2026-11-01: mode' })
  expect(known.ok).toBe(true)
  const mixed = await read({ ...runWith({ verdict: 'drifted', drift: [old, fresh] }), baseline })
  expect(mixed.points[0]).toMatchObject({ ok: false, todo: false })
})

test('the diagnostics have the desired and the observed value, and the place in the policy', async () => {
  const { diag, time } = await pointOf({
    verdict: 'drifted',
    severity: 'high',
    drift: [{ property: 'content', desired: 'b', observed: 'a', diff: '@@ -1 +1 @@\n-a\n+b\n' }],
    actions: ['Would have created the file'],
    message: 'content: want b, found a',
  })
  expect(diag).toEqual({
    verdict: 'drifted',
    severity: 'high',
    message: 'content: want b, found a',
    drift: [{ property: 'content', wanted: 'b', found: 'a', diff: ['@@ -1 +1 @@', '-a', '+b'] }],
    details: ['plan: Would have created the file'],
    at: { file: 'policies/base.yaml', line: 4, column: 9 },
  })
  // The parser takes duration_ms out of them.
  expect(time).toBe(0.25)
})

test.each([
  ['a directive', 'x # TODO later', 'x # TODO later'],
  ['a backslash', String.raw`a\b\#c`, String.raw`a\b\#c`],
  ['a line feed', 'a\nok 2 - b', String.raw`a\nok 2 - b`],
  ['a brace at the end', 'a {', String.raw`a \x7b`],
  ['spaces at its end', 'a  ', 'a'],
])('a name with %s is one name', async (_case, name, shown) => {
  const { points } = await read(runWith({ id: name, verdict: 'compliant' }))
  expect(points).toHaveLength(1)
  expect(points[0]).toMatchObject({ ok: true, name: `base > ${shown}`, todo: false, skip: false })
})

test('a policy that cannot be read bails out and lists its problems', async () => {
  const text = await renderReport(invalidRun, 'tap')
  const { ok, bailout, points } = await parse(text)
  expect(ok).toBe(false)
  expect(bailout).toBe('The scan did not run. the policies have 3 problems')
  expect(points).toEqual([])
  expect(text).toContain('# policies/base.yaml:7:11 unknown key "moed", did you mean "mode"?\n')
})

test.each([
  ['that evaluated nothing', emptyRun, 'nothing-evaluated'],
  ['that was interrupted', interruptedRun, 'interrupted'],
])('a scan %s has a point of its own that fails', async (_case, run, kind) => {
  const { ok, points } = await read(run)
  expect(ok).toBe(false)
  expect(points.at(-1)).toMatchObject({ ok: false, name: 'scan: everything was evaluated', diag: { kind } })
})

test('a fix is ok if it reached the desired state', async () => {
  expect((await read(fixRun)).points.map(({ ok }) => ok)).toEqual([true, false])
})

test('of a merged report every point names its machine', async () => {
  const origin = { runId: 'r1', mode: 'audit', startedAt: '2026-11-20T12:00:00.000Z' } as const
  const target = (hostname: string) => ({ kind: 'local', hostname, os: { id: 'debian', version: '12' } }) as const
  const run = runOf({
    target: { kind: 'merged', hostname: '2 hosts', os: { id: '', version: '' } },
    policies: [
      policyResult({ origin: { ...origin, target: target('web01') } }),
      policyResult({ origin: { ...origin, runId: 'r2', target: target('web02') } }),
    ],
  })
  expect((await read(run)).points.map(({ name }) => name)).toEqual([
    'web01 > base > file#/etc/motd',
    'web02 > base > file#/etc/motd',
  ])
})

test('the parser reads the same points with the same outcomes from every report', async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryRun, async (run) => {
      const { points, bailout } = await read(run)
      if (run.exit.code === 1 && run.policies.length === 0) {
        expect(bailout).toContain('The scan did not run.')
        return
      }
      const results = run.policies.flatMap(({ resources }) => withoutRollUps(resources))
      expect(points.slice(0, results.length)).toHaveLength(results.length)
      for (const [index, { verdict }] of results.entries()) {
        const isOk = verdict === 'compliant' || verdict === 'fixed' || verdict === 'not-applicable'
        expect(points[index]?.ok).toBe(isOk)
        expect(points[index]?.skip !== false).toBe(verdict === 'not-applicable')
        if (points[index]?.todo === false) expect(verdict).not.toBe('waived')
      }
    }),
  )
})

test('the diagnostics give every message back', async () => {
  await fc.assert(
    fc.asyncProperty(hostileText, async (message) => {
      const { diag } = await pointOf({ verdict: 'error', reason: 'internal', message, errors: [] })
      expect(diag).toMatchObject({
        message: message.replaceAll(/\p{Cs}/gu, (half) => String.raw`\u` + half.charCodeAt(0).toString(16)),
      })
    }),
  )
})

test('a control that nothing evaluates is a point with its policy and its title', async () => {
  const control = controlResult({ id: 'm-1', title: 'Doors are locked', verdict: 'not-evaluated' })
  const { points } = await read(runOf({ policies: [policyResult({ id: 'site', resources: [], controls: [control] })] }))
  expect(points.map(({ name }) => name)).toContain('[m-1] site > Doors are locked')
})
