import { expect, test } from 'vitest'
import {
  dueEachDay,
  kindOfNewest,
  kindOfOlder,
  type Looked,
  type OnServer,
  type Planned,
  sendingOrder,
  tooMany,
} from '../../../src/fleet/messages/kinds.ts'

const HOUR = 3_600_000
const NOW = Date.UTC(2026, 10, 20, 12)
const at = (hoursAgo: number): string => new Date(NOW - hoursAgo * HOUR).toISOString()

const looked: Looked = {
  runId: 'now',
  startedAt: at(0),
  sha256: 'a',
  circumstances: 'c',
  mayBeBeat: true,
  isOrdered: false,
}
const server: Required<OnServer> = {
  base: { run: 'base', startedAt: at(5), circumstances: 'c' },
  last: { run: 'last', startedAt: at(1), sha256: 'a' },
}
const { last: _last, ...withoutLast } = server

test.each<[string, Partial<Looked>, OnServer, object]>([
  ['as before, a beat', {}, server, { kind: 'beat', same: 'last' }],
  ['that changed, a delta', { sha256: 'b' }, server, { kind: 'delta' }],
  ['that may be no beat, a delta', { mayBeBeat: false }, server, { kind: 'delta' }],
  ['that carried out an order, whole', { mayBeBeat: false, isOrdered: true }, server, { kind: 'full' }],
  ['without a known last run, a delta', {}, withoutLast, { kind: 'delta' }],
  ['that is the first, whole', {}, {}, { kind: 'full' }],
  ['under other circumstances, whole', { circumstances: 'd' }, server, { kind: 'full' }],
  ['a day after the last whole one, whole', { startedAt: at(-19) }, server, { kind: 'full' }],
  ['a moment before that, a beat', { startedAt: at(-18.999) }, server, { kind: 'beat', same: 'last' }],
])('the newest run %s', (_what, change, onServer, expected) => {
  expect(kindOfNewest({ ...looked, ...change }, onServer, false)).toEqual(expected)
  expect(kindOfNewest({ ...looked, ...change }, onServer, true)).toEqual({ kind: 'full' })
})

test('an older run with a state that the server has by then is a beat, unless it is ordered', () => {
  const known = new Map([['a', 'last']])
  const older = (runId: string, sha256: string, change: Partial<Looked> = {}): object =>
    kindOfOlder({ ...looked, runId, sha256, ...change }, server, known, false)
  expect(older('1', 'a')).toEqual({ kind: 'beat', same: 'last' })
  expect(older('2', 'b')).toEqual({ kind: 'delta' })
  expect(older('3', 'b')).toEqual({ kind: 'beat', same: '2' })
  expect(older('4', 'b', { mayBeBeat: false })).toEqual({ kind: 'delta' })
  expect(older('5', 'b', { mayBeBeat: false, isOrdered: true })).toEqual({ kind: 'full' })
  expect(older('5', 'a', { circumstances: 'd' })).toEqual({ kind: 'full' })
  expect(kindOfOlder({ ...looked, sha256: 'a' }, server, known, true)).toEqual({ kind: 'full' })
  expect(kindOfOlder({ ...looked, sha256: 'a' }, {}, known, false)).toEqual({ kind: 'full' })
})

test('each day of those that wait begins with a whole report', () => {
  const runs = [0, 10, 20, 30, 40, 50, 60].map((hours) => ({ startedAt: at(hours) }))
  const hoursOf = (due: ReadonlySet<{ readonly startedAt: string }>): readonly number[] =>
    [...due].map(({ startedAt }) => (NOW - Date.parse(startedAt)) / HOUR)
  expect(hoursOf(dueEachDay(runs, undefined))).toEqual([60, 30, 0])
  expect(hoursOf(dueEachDay(runs, { startedAt: at(70) }))).toEqual([40, 10])
})

test('of too many the oldest beats go first, then deltas, then whole reports, and what is too old in any case', () => {
  const kinds = ['beat', 'full', 'delta', 'beat', 'full', 'beat', 'delta'] as const
  const planned: readonly Planned[] = kinds.map((kind, index) => ({ kind, startedAt: at(index), sizeBytes: 10 }))
  const lost = (maxBytes: number, hours = 99): readonly number[] =>
    [...tooMany(planned, { maxBytes, maxAgeMs: hours * HOUR }, NOW)].map((each) => planned.indexOf(each))
  expect(lost(70)).toEqual([])
  expect(lost(69)).toEqual([5])
  expect(lost(40)).toEqual([5, 3, 0])
  expect(lost(39)).toEqual([5, 3, 0, 6])
  expect(lost(0)).toEqual([5, 3, 0, 6, 2, 4, 1])
  expect(lost(30, 3.5)).toEqual([4, 5, 6, 3])
})

test('changes are sent before plain evidence', () => {
  const planned = (['full', 'beat', 'delta', 'full', 'beat'] as const).map((kind, index) => ({
    kind,
    startedAt: at(index),
    sizeBytes: 1,
  }))
  expect(sendingOrder(planned).map((each) => planned.indexOf(each))).toEqual([1, 2, 4, 0, 3])
})
