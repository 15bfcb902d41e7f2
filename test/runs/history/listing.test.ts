import { stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import { createPaint } from '../../../src/cli/output/color.ts'
import { filterRuns, listRuns } from '../../../src/runs/history/listing.ts'
import { newestFirst } from '../../../src/runs/history/entry.ts'
import { barsFor, showListing } from '../../../src/cli/commands/history/show-listing.ts'
import { PLAIN } from '../../../src/report/format.ts'
import { entry, type RunFields } from './support.ts'

const at = (day: number): string => `2026-11-0${day}T00:00:00.000Z`
const ALL = { hosts: [], policies: [] }
const plain = { paint: PLAIN.paint, bars: barsFor({}) }

function historyOf(...runs: readonly RunFields[]): Parameters<typeof listRuns>[0] {
  return { directory: 'history', runs: newestFirst(runs.map(entry)), unusable: [] }
}

const mixed = historyOf(
  { id: 'a', startedAt: at(1), host: 'web01', policies: { base: '1' } },
  { id: 'b', startedAt: at(2), host: 'web02', policies: { base: '1', ssh: '1' } },
  { id: 'c', startedAt: at(3), host: 'db01', policies: { ssh: '1' } },
)

test.each([
  ['everything', {}, 'cba'],
  ['a host', { hosts: ['web01'] }, 'a'],
  ['hosts by a pattern', { hosts: ['web*'] }, 'ba'],
  ['several hosts', { hosts: ['web01', 'db??'] }, 'ca'],
  ['no part of a name', { hosts: ['web'] }, ''],
  ['a policy', { policies: ['ssh'] }, 'cb'],
  ['a host and a policy', { hosts: ['web*'], policies: ['ssh'] }, 'b'],
  ['a time', { sinceMs: Date.parse(at(2)) }, 'cb'],
])('a filter for %s', (_what, filter, expected) => {
  const found = filterRuns(mixed, { ...ALL, ...filter })
  expect(found.map(({ runId }) => runId[0]).join('')).toBe(expected)
})

test('runs beyond the limit are counted, and changes since them are known', () => {
  const history = historyOf(
    { id: 'a', startedAt: at(1), policies: { base: '1', ssh: '1' } },
    { id: 'b', startedAt: at(2), policies: { base: '2', ssh: '1' } },
    { id: 'c', startedAt: at(3), policies: {} },
    { id: 'd', startedAt: at(4), policies: { base: '2', ssh: '2' } },
  )
  const listing = listRuns(history, ALL, 3)
  expect(listing.runs.map(({ runId, changedPolicies }) => [runId[0], changedPolicies])).toEqual([
    ['d', ['ssh']],
    ['c', []],
    ['b', ['base']],
  ])
  expect(listing).toMatchObject({ total: 4, stored: 4 })
})

test('people get a table, newest first, and how it went in words', () => {
  const history = historyOf(
    { id: 'aaaa0001', startedAt: at(1), drifted: 1 },
    { id: 'aaaa0002', startedAt: at(2), drifted: 0 },
    { id: 'aaaa0003', startedAt: at(3), policies: {} },
    { id: 'aaaa0004', startedAt: at(4), drifted: 12, policies: { base: 'b' } },
  )
  expect(showListing(listRuns(history, ALL, 20), plain)).toBe(
    [
      'run       started               mode   exit  compliant  drifted  host',
      'aaaa0004  2026-11-04T00:00:00Z  audit     2          0       12  web01: policy base changed',
      'aaaa0003  2026-11-03T00:00:00Z  audit     1          -        -  web01: not performed',
      'aaaa0002  2026-11-02T00:00:00Z  audit     0          1        0  web01',
      'aaaa0001  2026-11-01T00:00:00Z  audit     2          0        1  web01',
      '',
      'drifted, failed or unknown, oldest run first (x: not performed)',
      '  ._x#  1 to 12, worse  web01: base',
      '',
    ].join('\n'),
  )
})

test.each<[string, number[], string]>([
  ['one run', [4], '4'],
  ['fewer', [4, 9, 1], '4 to 1, better'],
  ['more', [1, 0, 4], '1 to 4, worse'],
  ['as many', [3, 8, 3], '3 to 3, unchanged'],
])('the words of a trend: %s', (_what, counts, words) => {
  const history = historyOf(...counts.map((drifted, day) => ({ id: `a${day}`, startedAt: at(day + 1), drifted })))
  expect(showListing(listRuns(history, ALL, 20), plain)).toContain(`  ${words}  web01: base\n`)
})

test('runs of several policies say which', () => {
  const text = showListing(listRuns(mixed, ALL, 2), plain)
  expect(text).toContain('web02: base, ssh\n')
  expect(text).toContain('db01: ssh\n')
  expect(text).toContain('2 of 3 runs; --limit 3 shows all\n')
})

test('colours change nothing of the text, and hostile names steer no terminal', async () => {
  const hostile = '\u001b]0;owned\u0007\u202e'
  const history = historyOf(
    { id: 'aaaa0001', startedAt: at(1), host: hostile, policies: { [hostile]: '1' }, drifted: 1 },
    { id: 'aaaa0002', startedAt: at(2), host: hostile, policies: { [hostile]: '2' } },
  )
  const listing = listRuns(history, ALL, 20)
  const text = showListing(listing, plain)
  expect(text).not.toMatch(/[^\n\x20-\x7e]/)
  const painted = showListing(listing, { ...plain, paint: await createPaint(true) })
  expect(painted).not.toBe(text)
  expect(stripVTControlCharacters(painted)).toBe(text)
})

test('nothing is shown of nothing', () => {
  expect(showListing(listRuns(historyOf(), ALL, 20), plain)).toBe('')
})

test('machines of one name are listed apart, and either name finds one', () => {
  const history = historyOf(
    { id: 'aaaa0001', startedAt: at(1), machine: '11', policies: { base: '1' } },
    { id: 'aaaa0002', startedAt: at(2), machine: '22', policies: { base: '2' } },
  )
  const listing = listRuns(history, ALL, 9)
  expect(listing.runs.map(({ name, changedPolicies }) => [name, changedPolicies])).toEqual([
    ['web01 (22)', []],
    ['web01 (11)', []],
  ])
  expect(showListing(listing, plain)).toContain('web01 (11)\n')
  const found = (host: string): string[] => listRuns(history, { ...ALL, hosts: [host] }, 9).runs.map(({ name }) => name)
  expect(found('web01 (11)')).toEqual(['web01 (11)'])
  expect(found('web01')).toHaveLength(2)
})
