import { expect, test } from 'vitest'
import { presenceOf, type Signs } from '../../src/fleet/presence.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const NOW = Date.UTC(2026, 10, 20, 12)

function signs(changes: Partial<Signs>, quietMs = 0): Signs {
  const newest = { startedAtMs: NOW - quietMs, storedAtMs: NOW - quietMs }
  return { nowMs: NOW, intervalMs: HOUR, isRetired: false, isForged: false, newest, behindSinceMs: [], ...changes }
}

// An interval and a quarter of an hour, and two intervals, to the millisecond.
test.each([
  [0, 'reporting'],
  [HOUR + 15 * MINUTE, 'reporting'],
  [HOUR + 15 * MINUTE + 1, 'late'],
  [2 * HOUR, 'late'],
  [2 * HOUR + 1, 'silent'],
  [400 * 24 * HOUR, 'silent'],
])('after %i milliseconds a host that reports every hour is %s', (quietMs, expected) => {
  expect(presenceOf(signs({}, quietMs))).toBe(expected)
})

test('a host of which nothing was heard is never, unless it is expected no longer', () => {
  const { newest: _newest, ...unheard } = signs({})
  expect(presenceOf(unheard)).toBe('never')
  expect(presenceOf({ ...unheard, isRetired: true })).toBe('retired')
})

test('a copy that is stored anew, and a clock that is ahead, make no silent host speak', () => {
  expect(presenceOf(signs({ newest: { startedAtMs: NOW - 3 * HOUR, storedAtMs: NOW } }))).toBe('silent')
  expect(presenceOf(signs({ newest: { startedAtMs: NOW + HOUR, storedAtMs: NOW - 3 * HOUR } }))).toBe('silent')
})

test('a clock may be ahead by five minutes', () => {
  const ahead = (milliseconds: number): Signs => signs({ newest: { startedAtMs: NOW + milliseconds, storedAtMs: NOW } })
  expect(presenceOf(ahead(5 * MINUTE))).toBe('reporting')
  expect(presenceOf(ahead(5 * MINUTE + 1))).toBe('clock')
})

test('a host that is behind for two intervals is outdated, unless it is silent or forged', () => {
  expect(presenceOf(signs({ behindSinceMs: [NOW - 2 * HOUR] }))).toBe('reporting')
  expect(presenceOf(signs({ behindSinceMs: [NOW, NOW - 2 * HOUR - 1] }))).toBe('outdated')
  expect(presenceOf(signs({ behindSinceMs: [NOW - 3 * HOUR] }, 3 * HOUR))).toBe('silent')
  expect(presenceOf(signs({ isForged: true }, 3 * HOUR))).toBe('forged')
})
