import { expect, test } from 'vitest'
import { seriesOf, trendBefore } from '../../../src/runs/history/series.ts'
import { entry, type RunFields, storedRun } from './support.ts'

const at = (day: number): string => `2026-11-0${day}T00:00:00.000Z`

function ids(runs: readonly { readonly runId: string }[]): string {
  return runs.map(({ runId }) => runId[0]).join('')
}

test.each<{ rule: string; runs: RunFields[]; series: string[] }>([
  { rule: 'nothing', runs: [], series: [] },
  {
    rule: 'the same host and policies, oldest first, in any order of the input',
    runs: [
      { id: 'b', startedAt: at(2) },
      { id: 'a', startedAt: at(1) },
    ],
    series: ['web01: base = ab'],
  },
  {
    rule: 'another host is another series, the one with the newest run first',
    runs: [
      { id: 'a', startedAt: at(1), host: 'web02' },
      { id: 'b', startedAt: at(2) },
    ],
    series: ['web01: base = b', 'web02: base = a'],
  },
  {
    rule: 'machines of one name are two',
    runs: [
      { id: 'a', startedAt: at(1), machine: '11' },
      { id: 'b', startedAt: at(2), machine: '22' },
      { id: 'c', startedAt: at(3), machine: '11', policies: {} },
      { id: 'd', startedAt: at(4) },
    ],
    series: ['web01: base = d', 'web01 (11): base = ac', 'web01 (22): base = b'],
  },
  {
    rule: 'runs of before a machine was known are of the only one of its name',
    runs: [
      { id: 'a', startedAt: at(1) },
      { id: 'b', startedAt: at(2), machine: '11' },
      { id: 'c', startedAt: at(3), machine: '22', host: 'web02' },
    ],
    series: ['web02: base = c', 'web01: base = ab'],
  },
  {
    rule: 'the order of policies makes no difference, which ones does',
    runs: [
      { id: 'a', startedAt: at(1), policies: { base: '1', ssh: '1' } },
      { id: 'b', startedAt: at(2), policies: { ssh: '2', base: '2' } },
      { id: 'c', startedAt: at(3), policies: { ssh: '2' } },
    ],
    series: ['web01: ssh = c', 'web01: base,ssh = ab'],
  },
  {
    rule: 'a run that could not be performed belongs to what was there before',
    runs: [
      { id: 'a', startedAt: at(1) },
      { id: 'b', startedAt: at(2), policies: {} },
      { id: 'c', startedAt: at(3), policies: { ssh: '1' } },
      { id: 'd', startedAt: at(4), policies: {} },
    ],
    series: ['web01: ssh = cd', 'web01: base = ab'],
  },
  {
    rule: 'a first run that could not be performed belongs to what comes',
    runs: [
      { id: 'a', startedAt: at(1), policies: {} },
      { id: 'b', startedAt: at(2) },
    ],
    series: ['web01: base = ab'],
  },
  {
    rule: 'runs that could never be performed are a series',
    runs: [
      { id: 'a', startedAt: at(1), policies: {} },
      { id: 'b', startedAt: at(2), policies: {} },
    ],
    series: ['web01:  = ab'],
  },
])('$rule', ({ runs, series }) => {
  const found = seriesOf(runs.map(entry))
  expect(found.map((each) => `${each.host}: ${each.policies.join(',')} = ${ids(each.runs)}`)).toEqual(series)
})

test('a trend holds the earlier performed runs of the same host and policies, oldest first', () => {
  const runs = [
    entry({ id: 'b', startedAt: at(2), drifted: 2 }),
    entry({ id: 'a', startedAt: at(1) }),
    entry({ id: '1', startedAt: at(1), host: 'web02' }),
    entry({ id: '2', startedAt: at(1), policies: { ssh: '1' } }),
    entry({ id: '3', startedAt: at(2), policies: {} }),
    entry({ id: '4', startedAt: at(9) }),
    entry({ id: 'c', startedAt: at(3) }),
  ]
  const trend = trendBefore(storedRun({ id: 'c', startedAt: at(3) }), runs)
  expect(ids(trend)).toBe('ab')
  expect(trend[1]).toEqual({ runId: runs[0]?.runId, startedAt: at(2), summary: runs[0]?.summary, exitCode: 2 })
})

test('a trend has no run of another machine of the same name', () => {
  const runs = ['11', '22', '11'].map((machine, index) => entry({ id: `${index}`, startedAt: at(index + 1), machine }))
  expect(ids(trendBefore(storedRun({ id: 'c', startedAt: at(4), machine: '11' }), runs))).toBe('02')
  expect(ids(trendBefore(storedRun({ id: 'c', startedAt: at(4), machine: '33' }), runs))).toBe('')
})

test('a trend ends with the newest of many', () => {
  const runs = Array.from({ length: 250 }, (_, index) =>
    entry({ id: 'a', startedAt: new Date(Date.UTC(2026, 0, 1) + index * 60_000).toISOString() }),
  )
  const trend = trendBefore(storedRun({ id: 'b', startedAt: at(1) }), runs)
  expect(trend).toHaveLength(100)
  expect(trend.at(-1)?.startedAt).toBe('2026-01-01T04:09:00.000Z')
})
