import { expect, test } from 'vitest'
import { findAlternatingBoot, createLedger, rememberBase } from '../../src/fleet/nats/ledger.ts'

const HOUR = 3_600_000

test('a run that comes again is recognised, and one of another host or with another state is said', () => {
  const { heard, note } = createLedger()
  expect(heard('a', 'run', 's')).toBe('new')
  note('a', 'run', 's')
  expect(heard('a', 'run', 's')).toBe('again')
  expect(heard('a', 'run', 't')).toEqual({ reason: 'run run was already received with different content' })
  expect(heard('b', 'run', 's')).toEqual({ reason: 'run run belongs to a' })
})

test('a start of a machine that comes back after another one is that of a second machine', () => {
  const followed = createLedger().of('a')
  expect(
    [undefined, 'x', 'x', 'y', undefined, 'y', 'x', 'x', 'y'].map((id) => findAlternatingBoot(followed, id)),
  ).toEqual([...Array.from({ length: 6 }), 'y', undefined, 'x'])
  // A host that starts anew every time never returns to an earlier start.
  const other = createLedger().of('b')
  expect(Array.from({ length: 100 }, (_, at) => findAlternatingBoot(other, String(at))).filter(Boolean)).toEqual([])
  expect(other.boots.length).toBeLessThanOrEqual(16)
})

test('a doubt lasts until its host reports again, and that of a forgery for at least a day', () => {
  const ledger = createLedger()
  const about = { place: 'p', hosts: ['a'], storedAtMs: 10 * HOUR }
  ledger.doubt('a', { ...about, reason: 'broken' })
  ledger.doubt('a', { ...about, reason: 'forged', isForged: true })
  ledger.doubt(undefined, { ...about, hosts: [], reason: 'nobody' })
  const reasons = (atHour: number): readonly string[] => ledger.doubts(atHour * HOUR).map(({ reason }) => reason)
  expect(reasons(1000)).toEqual(['broken', 'forged', 'nobody'])
  ledger.of('a').goodAtMs = 11 * HOUR
  expect(reasons(33)).toEqual(['forged', 'nobody'])
  expect(reasons(34)).toEqual(['nobody'])
})

test('the records of a host are limited', () => {
  const ledger = createLedger()
  const followed = ledger.of('a')
  for (let at = 0; at < 100; at++) {
    rememberBase(followed, String(at), { stream: 'DG_FULL', sequence: at })
    ledger.doubt('a', { place: String(at), hosts: ['a'], storedAtMs: at, reason: 'x' })
  }
  expect([...followed.bases]).toEqual(
    Array.from({ length: 8 }, (_, at) => [String(at + 92), { stream: 'DG_FULL', sequence: at + 92 }]),
  )
  expect(
    ledger
      .doubts(0)
      .map(({ place }) => place)
      .slice(-1),
  ).toEqual(['99'])
  expect(ledger.doubts(0)).toHaveLength(50)
})
