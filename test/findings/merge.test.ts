import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Run } from '../../src/core/run.ts'
import { mergeRuns } from '../../src/findings/merge.ts'
import { renderReport } from '../../src/report/index.ts'
import { arbitraryRun } from '../support/arbitrary-run.ts'
import { policyResult, resourceResult, runOf } from '../support/run.ts'

function on(hostname: string, fields: Partial<Run> = {}): Run {
  return runOf({ target: { kind: 'local', hostname, os: { id: 'debian', version: '12' } }, ...fields })
}

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

test('merging what is merged keeps where it comes from', () => {
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
    exit: { code: 5, reasons: ['nothing was evaluated: the selection leaves no resource'] },
  })
  const merged = mergeRuns([on('web01', { policies: [policyResult({ resources: [missing] })] }), vacuous])
  expect(merged.problems?.map(({ message }) => message)).toEqual([
    'web02: nothing was evaluated: the selection leaves no resource',
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

test('what several runs say alike is said once', () => {
  const problem = { message: 'the file is empty', severity: 'warning' } as const
  const own = { message: 'another', severity: 'warning' } as const
  const said = { problems: [problem], notes: ['facts were not gathered'] }
  const merged = mergeRuns([on('web01', said), on('web02', { ...said, problems: [own, problem] })])
  expect(merged.problems).toEqual([problem, own])
  expect(merged.notes).toEqual(['facts were not gathered'])
  expect(mergeRuns([on('web01', said), on('web01')]).target.hostname).toBe('web01')
})

test('nothing is lost or counted twice, whatever is merged', () => {
  fc.assert(
    fc.property(fc.array(arbitraryRun, { minLength: 1, maxLength: 3 }), ([first = runOf(), ...others]) => {
      const merged = mergeRuns([first, ...others])
      const all = [first, ...others]
      expect(merged.policies).toHaveLength(all.reduce((sum, { policies }) => sum + policies.length, 0))
      expect(merged.summary.total).toBe(all.reduce((sum, { summary }) => sum + summary.total, 0))
    }),
  )
})
