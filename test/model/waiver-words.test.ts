import { expect, test } from 'vitest'
import type { ReportedDrift } from '../../src/model/run.ts'
import type { WaiverUse } from '../../src/model/waiver.ts'
import * as words from '../../src/model/waiver-words.ts'

test.each([
  [[], ''],
  [['mode'], 'mode'],
  [['mode', 'owner'], 'mode and owner'],
  [['mode', 'owner', 'group'], 'mode, owner and group'],
])('%j is listed as "%s"', (names, text) => {
  expect(words.list(names)).toBe(text)
})

test.each([
  [2, '2 days left'],
  [1, '1 day left'],
  [0, 'last day'],
  [-1, '1 day ago'],
  [-2, '2 days ago'],
])('with %i days left: %s', (daysLeft, text) => {
  expect(words.daysLeftOf({ daysLeft })).toBe(text)
})

const terms = { reason: 'known', approver: 'Ada', expires: '2026-12-31', covers: ['mode'] }
const use: WaiverUse = { ...terms, id: 'w', state: 'in-force' }

test('acceptance and its end name the approver, the date and the reason', () => {
  expect(words.describeAcceptance(use)).toBe('accepted until the end of 2026-12-31 UTC by Ada: known (waiver w)')
  expect(words.describeAcceptance({ ...use, ticket: 'T-1' })).toMatch(/ \(waiver w, T-1\)$/)
  expect(words.describeEnd({ ...use, state: 'expired' })).toBe('expired at the end of 2026-12-31 UTC')
  expect(words.describeEnd({ ...use, state: 'lapsed' })).toBe('lapsed: it accepts mode only with another value')
  expect(words.describeEnd({ ...use, state: 'lapsed' }, '0644')).toBe('lapsed: it accepts mode only while it is 0644')
})

test.each([
  [{ resource: 'file#/a' }, 'file#/a'],
  [{ control: 'c-1' }, 'control c-1'],
  [{ resource: 'file#/a', property: 'mode' }, 'file#/a mode'],
  [{ resource: 'file#/a', property: 'mode', value: '0644' }, 'file#/a mode = "0644"'],
])('a waiver for %j is about %s', (scope, text) => {
  expect(words.subjectOf(scope)).toBe(text)
})

test('only a waiver in force that the drift names accepts; a missed waiver is one that ended', () => {
  const mode: ReportedDrift = { property: 'mode', desired: '0644', observed: '0664' }
  const waivers: readonly WaiverUse[] = [
    use,
    { ...use, id: 'other' },
    { ...use, id: 'expired', state: 'expired' },
    { ...use, id: 'lapsed', state: 'lapsed' },
    { ...use, id: 'elsewhere', state: 'expired', covers: ['owner'] },
  ]
  const idsOf = (uses: readonly WaiverUse[]): readonly string[] => uses.map(({ id }) => id)
  const accepted = { drift: [{ ...mode, waiver: 'w' }], waivers }
  expect(idsOf(words.acceptedBy(accepted))).toEqual(['w'])
  expect(idsOf(words.neededInVain(accepted))).toEqual([])
  const open = { drift: [mode], waivers }
  expect(idsOf(words.acceptedBy(open))).toEqual([])
  expect(idsOf(words.neededInVain(open))).toEqual(['expired', 'lapsed'])
})
