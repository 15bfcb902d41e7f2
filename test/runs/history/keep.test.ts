import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { HistoryEntry } from '../../../src/runs/history/entry.ts'
import { outdatedFiles } from '../../../src/runs/history/store.ts'
import { type Keep, parseKeep } from '../../../src/runs/history/keep-spec.ts'
import { entry } from './support.ts'

const DAY_MS = 86_400_000

test.each<[string, Keep | undefined]>([
  ['1', { kind: 'newest', count: 1 }],
  ['30', { kind: 'newest', count: 30 }],
  ['90d', { kind: 'span', milliseconds: 90 * DAY_MS }],
  ['12w', { kind: 'span', milliseconds: 84 * DAY_MS }],
  ['1d12h', { kind: 'span', milliseconds: 1.5 * DAY_MS }],
  ['0', undefined],
  ['0d', undefined],
  ['-1', undefined],
  ['1.5', undefined],
  ['99999999999999999999', undefined],
  ['all', undefined],
  ['', undefined],
])('"%s" keeps %o', (text, keep) => {
  expect(parseKeep(text)).toEqual(keep)
})

function day(number: number): string {
  return new Date(Date.UTC(2026, 0, number, 12)).toISOString()
}

function onDay(number: number): HistoryEntry {
  return entry({ id: `d${number}`, startedAt: day(number) })
}

function spoiltOnDay(number: number): { readonly file: string; readonly reason: string } {
  const [date = ''] = day(number).split('T')
  return { file: `${date.replaceAll('-', '')}T120000.000Z-bad.json.gz`, reason: 'damaged' }
}

test.each<{ rule: string; days: number[]; spoilt?: number[]; stored: number; keep: string; gone: number[] }>([
  { rule: 'fewer than wanted stay', days: [1, 2], stored: 3, keep: '4', gone: [] },
  { rule: 'as many as wanted stay', days: [1, 2], stored: 3, keep: '3', gone: [] },
  { rule: 'the oldest go', days: [1, 2, 3], stored: 4, keep: '2', gone: [1, 2] },
  { rule: 'only the new one stays', days: [1, 2], stored: 3, keep: '1', gone: [1, 2] },
  { rule: 'after the clock went back the new one stays', days: [5, 6, 7], stored: 1, keep: '2', gone: [5, 6] },
  { rule: 'runs older than the span go', days: [1, 2, 9, 10], stored: 11, keep: '3d', gone: [1, 2] },
  { rule: 'a run exactly as old stays', days: [8], stored: 11, keep: '3d', gone: [] },
  { rule: 'a span after the clock went back', days: [5, 6], stored: 1, keep: '1d', gone: [] },
  { rule: 'damaged ones do not take a place', days: [1, 2], spoilt: [3, 4], stored: 5, keep: '3', gone: [] },
  { rule: 'damaged ones go with their neighbours', days: [1, 3], spoilt: [2, 4], stored: 5, keep: '2', gone: [1, 2] },
  { rule: 'damaged ones stay while there is room', days: [2], spoilt: [1], stored: 3, keep: '5', gone: [] },
  { rule: 'damaged ones go with the span', days: [10], spoilt: [1], stored: 11, keep: '3d', gone: [1] },
])('$rule', ({ days, spoilt = [], stored, keep: text, gone }) => {
  const keep = parseKeep(text) ?? expect.unreachable()
  const runs = [...days, stored].map(onDay)
  const outdated = outdatedFiles({ directory: '', runs, unusable: spoilt.map(spoiltOnDay) }, keep, onDay(stored))
  const expected = gone.map((number) => (spoilt.includes(number) ? spoiltOnDay(number) : onDay(number)).file)
  expect(outdated.toSorted()).toEqual(expected.toSorted())
})

test('as many runs as wanted are left, the new one among them, and of the others the newest', () => {
  const days = fc.uniqueArray(fc.integer({ min: 1, max: 300 }), { minLength: 1 })
  fc.assert(
    fc.property(days, fc.nat(), fc.integer({ min: 1, max: 10 }), (numbers, at, count) => {
      const runs = numbers.map(onDay)
      const stored = runs[at % runs.length] ?? expect.unreachable()
      const outdated = outdatedFiles({ directory: '', runs, unusable: [] }, { kind: 'newest', count }, stored)
      const left = runs.filter(({ file }) => !outdated.includes(file))
      expect(left).toContain(stored)
      expect(left).toHaveLength(Math.min(count, runs.length))
      const others = left.filter((run) => run !== stored)
      for (const gone of runs.filter(({ file }) => outdated.includes(file))) {
        expect(others.every(({ startedAt }) => startedAt > gone.startedAt)).toBe(true)
      }
    }),
  )
})

test('a number counts the runs of each machine, also where two have one name', () => {
  const runs = ['11', '22', '11', '11'].map((machine, index) =>
    entry({ id: `d${index}`, startedAt: day(index + 1), machine }),
  )
  const stored = runs[3] ?? expect.unreachable()
  const outdated = outdatedFiles({ directory: '', runs, unusable: [] }, { kind: 'newest', count: 1 }, stored)
  expect(outdated.toSorted()).toEqual([runs[0]?.file, runs[2]?.file])
})
