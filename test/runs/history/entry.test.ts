import fc from 'fast-check'
import { expect, test } from 'vitest'
import { entryOf, formatLine, type HistoryEntry, isDamaged, parseLine } from '../../../src/runs/history/entry.ts'
import { arbitraryRun } from '../../support/arbitrary-run.ts'
import { entry } from './support.ts'

const version = { file: '20261120T120000.250Z-0f9c2a4e.json.gz', sizeBytes: 900, mtimeMs: 1_795_292_641_712.732 }

test('a line says what the run says, on one line', () => {
  fc.assert(
    fc.property(arbitraryRun, (run) => {
      const line = formatLine(entryOf(run, version))
      expect(line).not.toContain('\n')
      expect(parseLine(line)).toEqual(entryOf(run, version))
    }),
  )
})

test('a line that was cut off anywhere says nothing', () => {
  const line = formatLine(entry({ id: 'aa' }))
  for (let length = 0; length < line.length; length++) expect(parseLine(line.slice(0, length))).toBeUndefined()
})

test('a line with any other character says nothing', () => {
  const line = formatLine(entry({ id: 'aa', drifted: 3 }))
  fc.assert(
    fc.property(fc.nat(line.length - 1), fc.constantFrom('0', '7', 'a', '"', ','), (at, character) => {
      fc.pre(line[at] !== character)
      expect(parseLine(line.slice(0, at) + character + line.slice(at + 1))).toBeUndefined()
    }),
  )
})

test('a damaged file keeps its reason', () => {
  const line = parseLine(formatLine({ ...version, reason: 'its compressed data is damaged' }))
  expect(line !== undefined && isDamaged(line)).toBe(true)
})

test.each([
  ['no size', { sizeBytes: undefined }],
  ['a negative count', { summary: { ...entry({ id: 'aa' }).summary, drifted: -1 } }],
  ['a missing verdict', { summary: { total: 0 } }],
  ['an invalid time', { startedAt: 'yesterday' }],
  ['an unknown mode', { mode: 'noop' }],
  ['invalid policies', { policies: [{ id: 7 }] }],
  ['no host', { host: null }],
])('a line with %s says nothing', (_what, fields) => {
  // What another version of driftgate may write, its checksum in order.
  const line: object = { ...entry({ id: 'aa' }), ...fields }
  expect(parseLine(formatLine(line as HistoryEntry))).toBeUndefined()
})
