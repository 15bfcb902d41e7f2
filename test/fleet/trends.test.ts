import { expect, test } from 'vitest'
import { createTrends, type TrendRecord } from '../../src/fleet/trends.ts'

const DAY = 86_400_000
const TODAY = Date.parse('2026-11-25T12:00:00Z')

type Standings = Readonly<Record<string, 'drifted' | 'undecided' | 'waived'>>
type State = Parameters<TrendRecord['note']>[2]

function state(standings: Standings): State {
  const findings = Object.entries(standings).map(([name, standing]) => {
    const finding = { policy: 'site', name, kind: 'control', severity: 'high', standing, sinceMs: 0 } as const
    return [name, finding] as const
  })
  return { id: 'site', unmet: new Map(findings) }
}

/** Notes what a host stood like on days before today, in this order. */
function reported(record: TrendRecord, host: string, days: readonly (readonly [ago: number, Standings])[]): void {
  let before: State | undefined
  for (const [ago, standings] of days) {
    const after = state(standings)
    record.note(host, before, after, TODAY - ago * DAY)
    before = after
  }
}

const counts = (points: readonly { readonly drifted: number; readonly undecided: number }[]): readonly string[] =>
  points.map(({ drifted, undecided }) => `${drifted}+${undecided}`)

test('a day has what was open at its end, and those without a report what was open before', () => {
  const record = createTrends()
  reported(record, 'web01', [
    [4, { a: 'drifted', b: 'undecided', c: 'waived' }],
    [2, { a: 'drifted', b: 'drifted' }],
    [2, { a: 'drifted' }],
    [0, {}],
  ])
  const points = record.ofHost('web01', TODAY)
  expect(points.map(({ day }) => day)).toEqual(['2026-11-21', '2026-11-22', '2026-11-23', '2026-11-24', '2026-11-25'])
  expect(counts(points)).toEqual(['1+1', '1+1', '1+0', '1+0', '0+0'])
  expect(counts(record.ofControl({ policy: 'site', name: 'b' }, TODAY))).toEqual(['0+1', '0+1', '0+0', '0+0', '0+0'])
})

test('a policy and a control have all hosts, whichever of them is heard first', () => {
  const first: readonly [number, Standings][] = [[3, { a: 'drifted' }]]
  const second: readonly [number, Standings][] = [
    [4, { a: 'drifted', b: 'drifted' }],
    [1, { b: 'undecided' }],
  ]
  for (const order of [
    [first, second],
    [second, first],
  ]) {
    const record = createTrends()
    for (const [at, days] of order.entries()) reported(record, `host-${at}`, days)
    expect(counts(record.ofPolicy('site', TODAY))).toEqual(['2+0', '3+0', '3+0', '1+1', '1+1'])
    expect(counts(record.ofControl({ policy: 'site', name: 'a' }, TODAY))).toEqual(['1+0', '2+0', '2+0', '1+0', '1+0'])
    expect(record.policies()).toEqual(['site'])
  }
})

test('a control that was never open is shown as such since its policy was reported', () => {
  const record = createTrends()
  reported(record, 'web01', [[2, { a: 'drifted' }]])
  expect(counts(record.ofControl({ policy: 'site', name: 'b' }, TODAY))).toEqual(['0+0', '0+0', '0+0'])
})

test('it has 30 days, and the first of them begins as the day before ended', () => {
  const record = createTrends()
  const days = Array.from({ length: 100 }, (_, at): readonly [number, Standings] => [
    100 - at,
    at % 2 === 0 ? { a: 'drifted' } : {},
  ])
  reported(record, 'web01', days)
  reported(record, 'web02', [[90, { a: 'drifted' }]])
  expect(counts(record.ofHost('web02', TODAY))).toEqual(Array.from({ length: 30 }, () => '1+0'))
  expect(counts(record.ofHost('web01', TODAY)).slice(0, 3)).toEqual(['0+0', '1+0', '0+0'])
  expect(record.ofHost('nobody', TODAY)).toEqual([])
})
