import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Run } from '../../../src/model/run.ts'
import type { WaiverRecord } from '../../../src/model/waiver.ts'
import { mergeRuns } from '../../../src/model/findings/merge.ts'
import { renderReport } from '../../../src/report/index.ts'
import { arbitraryRun } from '../../support/arbitrary-run.ts'
import { policyResult, resourceResult, runOf } from '../../support/run.ts'

function on(hostname: string, fields: Partial<Run> = {}): Run {
  return runOf({ target: { kind: 'local', hostname, os: { id: 'debian', version: '12' } }, ...fields })
}

/** RFC 9562, of version 8. */
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/

const missing = resourceResult({
  verdict: 'drifted',
  change: 'will',
  drift: [{ property: 'ensure', desired: 'present', observed: 'absent' }],
})

test('one run stays as it is', () => {
  const run = on('web01')
  expect(mergeRuns([run])).toBe(run)
})

test('each policy says which machine and run it comes from', () => {
  const merged = mergeRuns([on('web01'), on('web02', { run: { ...runOf().run, id: 'second' } })])
  expect(merged.policies.map(({ origin }) => [origin?.target.hostname, origin?.runId])).toEqual([
    ['web01', runOf().run.id],
    ['web02', 'second'],
  ])
  expect(merged.target).toMatchObject({ kind: 'merged', hostname: 'web01, web02' })
})

test('merging a merged report keeps the origins', () => {
  const [first, second, third] = [on('web01'), on('web02'), on('web03')]
  const twice = mergeRuns([mergeRuns([first, second]), third])
  expect(twice.policies.map(({ origin }) => origin?.target.hostname)).toEqual(['web01', 'web02', 'web03'])
})

test.each([
  [[0, 2], 2],
  [[2, 3], 2],
  [[5, 0], 5],
  [[4, 2], 4],
  [[1, 4, 130], 1],
  [[143, 4], 143],
])('exit codes %j add up to %i', (codes, expected) => {
  const [first = on('none'), ...others] = codes.map((code) => on(`web${code}`, { exit: { code, reasons: [] } }))
  expect(mergeRuns([first, ...others]).exit.code).toBe(expected)
})

test('a machine where nothing was evaluated is not lost among green ones', async () => {
  const vacuous = on('web02', {
    policies: [policyResult({ resources: [] })],
    exit: { code: 5, reasons: ['nothing was evaluated: no resource matches the selection'] },
  })
  const merged = mergeRuns([on('web01', { policies: [policyResult({ resources: [missing] })] }), vacuous])
  expect(merged.problems?.map(({ message }) => message)).toEqual([
    'web02: nothing was evaluated: no resource matches the selection',
  ])
  expect(await renderReport(merged, 'junit')).toContain('errors="1"')
  expect(await renderReport(merged, 'text')).toContain('web02: nothing was evaluated')
})

test('JUnit has one suite for each machine and policy, and every case once', async () => {
  const merged = mergeRuns([on('web01'), on('web02')])
  const xml = await renderReport(merged, 'junit')
  expect([...xml.matchAll(/<testsuite name="([^"]*)"/g)].map(([, name]) => name)).toEqual([
    'base on web01',
    'base on web02',
  ])
  const cases = [...xml.matchAll(/<testcase name="([^"]*)" classname="([^"]*)"/g)].map(
    ([, name, of]) => `${of} ${name}`,
  )
  expect(new Set(cases).size).toBe(cases.length)
})

test('the frame spans all runs, and a fix among them makes it one', () => {
  const frame = (id: string, startedAt: string, finishedAt: string, durationMs: number): Run['run'] => {
    return { ...runOf().run, id, startedAt, finishedAt, durationMs }
  }
  const late = frame('a', '2026-11-20T12:00:00Z', '2026-11-20T12:00:09Z', 9)
  const early = frame('b', '2026-11-20T11:00:00Z', '2026-11-20T11:00:02Z', 2)
  const merged = mergeRuns([on('web01', { run: late }), on('web02', { run: early })])
  expect(merged.run).toEqual({
    id: expect.stringMatching(UUID),
    mode: 'audit',
    startedAt: '2026-11-20T11:00:00Z',
    finishedAt: '2026-11-20T12:00:09Z',
    durationMs: 11,
    interrupted: false,
  })
  const fixed = on('web02', { run: { ...early, mode: 'fix', interrupted: true } })
  expect(mergeRuns([on('web01', { run: late }), fixed]).run).toMatchObject({ mode: 'fix', interrupted: true })
})

test.each([
  [1, false, ['web02: why']],
  [5, false, ['web02: why']],
  [130, true, ['web02: why']],
  [2, false, []],
  [3, false, []],
])('reasons of a run with exit %i, interrupted: %j, are problems of the whole: %j', (code, interrupted, expected) => {
  const other = on('web02', { exit: { code, reasons: ['why'] }, run: { ...runOf().run, interrupted } })
  expect((mergeRuns([on('web01'), other]).problems ?? []).map(({ message }) => message)).toEqual(expected)
})

test('waivers and baselines of several runs are those of the whole', () => {
  const record: WaiverRecord = {
    id: 'w',
    reason: 'known',
    approver: 'Ada',
    expires: '2026-12-31',
    source: { file: 'waivers.yaml', line: 2, column: 5 },
    state: 'in-force',
    daysLeft: 41,
    expiresSoon: false,
    accepted: 1,
  }
  const baseline = (runId: string, startedAt: string, added: number): NonNullable<Run['baseline']> => ({
    source: 'base.json',
    runId,
    startedAt,
    counts: { new: added, changed: 0, unchanged: 1, resolved: 0, incomparable: 0 },
    resolved: [],
    incomparable: [],
  })
  const merged = mergeRuns([
    on('web01', { waivers: [record], baseline: baseline('r1', '2026-11-19T00:00:00Z', 2) }),
    on('web02', {
      waivers: [
        { ...record, accepted: 2 },
        { ...record, id: 'x' },
      ],
      baseline: baseline('r2', '2026-11-18T00:00:00Z', 3),
    }),
  ])
  expect(merged.waivers?.map(({ id, accepted }) => [id, accepted])).toEqual([
    ['w', 3],
    ['x', 1],
  ])
  expect(merged.baseline).toEqual({
    ...baseline('', '2026-11-18T00:00:00Z', 5),
    runId: expect.stringMatching(UUID),
    counts: { new: 5, changed: 0, unchanged: 2, resolved: 0, incomparable: 0 },
  })
  expect(merged.summary).toMatchObject({ total: 2, compliant: 2 })
  expect(mergeRuns([on('web01'), on('web02')])).not.toHaveProperty('baseline')
})

test('a merged run has an id as long as any other, the same for the same runs', () => {
  const runs = Array.from({ length: 20 }, (_, index) =>
    on(`web${index}`, { run: { ...runOf().run, id: `run-${index}` } }),
  )
  const [first = on('none'), ...others] = runs
  const { id } = mergeRuns([first, ...others]).run
  expect(id).toMatch(UUID)
  expect(mergeRuns([first, ...others]).run.id).toBe(id)
  expect(mergeRuns([first, ...others.slice(1)]).run.id).not.toBe(id)
  expect(mergeRuns([first, first]).run.id).toBe(first.run.id)
})

test.each([
  [0, 3],
  [2, 2],
])('an unreadable report makes of exit %i an exit %i, and is among the problems', async (code, expected) => {
  const missing = { message: 'cannot use the report web02.json: it is empty', severity: 'error' } as const
  const merged = mergeRuns([on('web01', { exit: { code, reasons: [] } })], [missing])
  expect(merged.exit).toEqual({ code: expected, reasons: ['1 report could not be read'] })
  expect(merged.problems).toEqual([missing])
  expect(await renderReport(merged, 'junit')).toContain('cannot use the report web02.json')
})

test('equal problems and notes of several runs appear once', () => {
  const problem = { message: 'the file is empty', severity: 'warning' } as const
  const own = { message: 'another', severity: 'warning' } as const
  const said = { problems: [problem], notes: ['facts were not gathered'] }
  const merged = mergeRuns([on('web01', said), on('web02', { ...said, problems: [own, problem] })])
  expect(merged.problems).toEqual([problem, own])
  expect(merged.notes).toEqual(['facts were not gathered'])
  expect(mergeRuns([on('web01', said), on('web01')]).target.hostname).toBe('web01')
})

test('a merge neither loses nor duplicates results', () => {
  fc.assert(
    fc.property(fc.array(arbitraryRun, { minLength: 1, maxLength: 3 }), ([first = runOf(), ...others]) => {
      const merged = mergeRuns([first, ...others])
      const all = [first, ...others]
      expect(merged.policies).toHaveLength(all.reduce((sum, { policies }) => sum + policies.length, 0))
      expect(merged.summary.total).toBe(all.reduce((sum, { summary }) => sum + summary.total, 0))
    }),
  )
})
