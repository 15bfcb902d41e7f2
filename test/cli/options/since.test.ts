import { expect, test } from 'vitest'
import { parseSince } from '../../../src/cli/options/since.ts'

const NOW = Date.parse('2026-11-20T12:00:00Z')

test.each([
  ['7d', '2026-11-13T12:00:00.000Z'],
  ['1h30m', '2026-11-20T10:30:00.000Z'],
  ['2026-11-01', '2026-11-01T00:00:00.000Z'],
  ['2028-02-29', '2028-02-29T00:00:00.000Z'],
  ['2026-11-01T08:30', '2026-11-01T08:30:00.000Z'],
  ['2026-11-01T08:30:10Z', '2026-11-01T08:30:10.000Z'],
  ['2026-11-01T08:30:10.250Z', '2026-11-01T08:30:10.250Z'],
  ['2026-11-01T00:30:00+02:00', '2026-10-31T22:30:00.000Z'],
  ['yesterday', undefined],
  ['7', undefined],
  ['2026-11', undefined],
  ['2026-13-01', undefined],
  ['2026-02-31', undefined],
  ['2027-02-29', undefined],
  ['2026-11-01T25:00', undefined],
  ['', undefined],
])('"%s" is %s', (text, expected) => {
  const moment = parseSince(text, NOW)
  expect(moment === undefined ? undefined : new Date(moment).toISOString()).toBe(expected)
})
