import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isTemporary, storedName, timeInName } from '../../../src/runs/history/file-name.ts'
import { temporaryName } from '../../../src/host/live/temporary-name.ts'
import { runOf } from '../../support/run.ts'

const times = fc.date({ min: new Date('1970-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })

test('a name says when the run started, and names sort as times do', () => {
  const nameAt = (time: Date, id: string): string =>
    storedName(runOf({ run: { ...runOf().run, id, startedAt: time.toISOString() } }))
  fc.assert(
    fc.property(times, times, fc.uuid(), (one, other, id) => {
      expect(timeInName(nameAt(one, id))).toBe(one.toISOString())
      if (one < other) expect(nameAt(one, id) < nameAt(other, id)).toBe(true)
    }),
  )
})

test('the file name of a run stays in its directory, for any id', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (id) => {
      const name = storedName(runOf({ run: { ...runOf().run, id } }))
      expect(name).toMatch(/^20261120T120000\.250Z-[0-9a-z]{1,8}\.json\.gz$/)
      expect(timeInName(name)).toBeDefined()
      expect(isTemporary(temporaryName(name))).toBe(true)
    }),
  )
})

test.each([
  'index.ndjson',
  'drift.json',
  'drift.json.gz',
  '20261120T120000.250Z-0f9c2a4e.json',
  '20261120T120000.250Z-0f9c2a4e.json.gz.bak',
  'x20261120T120000.250Z-0f9c2a4e.json.gz',
  '20261120T120000.250Z-0F9C2A4E.json.gz',
  '20261120T120000.250Z-.json.gz',
  '20261120T120000.250Z-0f9c2a4e/.json.gz',
])('%s is not a name of ours', (name) => {
  expect(timeInName(name)).toBeUndefined()
  expect(isTemporary(name)).toBe(false)
})
