import { expect, test } from 'vitest'
import { OperatorError } from '../../../src/model/operator-error.ts'
import { findRun } from '../../../src/runs/history/find-run.ts'
import { newestFirst } from '../../../src/runs/history/entry.ts'
import { entry } from './support.ts'

const runs = newestFirst([
  entry({ id: 'abc1', startedAt: '2026-11-01T00:00:00.000Z' }),
  entry({ id: 'abc2', startedAt: '2026-11-02T00:00:00.000Z' }),
  entry({ id: 'def3', startedAt: '2026-11-03T00:00:00.000Z' }),
])
const unusable = [{ file: '20261104T000000.000Z-fed00000.json.gz', reason: 'its compressed data is damaged' }]
const candidates = { directory: 'history', runs, unusable }

test.each([
  ['def', 'def3'],
  ['DEF3', 'def3'],
  ['abc2', 'abc2'],
  [runs[2]?.runId ?? '', 'abc1'],
  [runs[1]?.file ?? '', 'abc2'],
  ['latest', 'def3'],
  ['latest~0', 'def3'],
  ['latest~2', 'abc1'],
])('%s is the run %s', (text, id) => {
  expect(findRun(candidates, text).runId).toMatch(new RegExp(`^${id}`))
})

test.each([
  ['abc', /"abc" could be abc2.* of 2026-11-02T00:00:00.000Z, abc1.*; use a longer prefix/],
  ['0000', /no run in history matches "0000"/],
  ['latest~3', /no run latest~3: history has only 3 runs/],
  ['latest~-1', /no run in history matches/],
  ['fed0', /cannot use history\/20261104T000000.000Z-fed00000.json.gz: its compressed data is damaged/],
])('%s is rejected', (text, message) => {
  const find = (): unknown => findRun(candidates, text)
  expect(find).toThrow(OperatorError)
  expect(find).toThrow(message)
})

test('a run that is stored twice is one run', () => {
  const [first = expect.unreachable()] = runs
  const copy = { ...first, file: `copy-of-${first.file}` }
  expect(findRun({ ...candidates, runs: [first, copy] }, 'def')).toBe(first)
})
