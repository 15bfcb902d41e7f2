import { expect, test } from 'vitest'
import { storeRun } from '../../../src/runs/history/store.ts'
import { counterpartOf, recallRuns } from '../../../src/runs/watch/recall.ts'
import { policyResult } from '../../support/run.ts'
import { temporaryDirectory } from '../../support/temporary.ts'
import { storedRun } from '../history/support.ts'

const at = (day: number): string => `2026-11-0${day}T00:00:00.000Z`

test('a watch goes on from the last run of its own machine, not of another one of that name', async () => {
  const directory = temporaryDirectory()
  await storeRun(directory, storedRun({ id: 'aaaaaaa1', startedAt: at(1), machine: '11' }))
  await storeRun(directory, storedRun({ id: 'aaaaaaa2', startedAt: at(2), machine: '22' }))
  const runs = await recallRuns(directory, {})
  const before = (machine?: string): string | undefined => {
    const run = storedRun({ id: 'c', startedAt: at(3), ...(machine === undefined ? {} : { machine }) })
    return counterpartOf(run, runs)?.run.id.slice(0, 8)
  }
  expect([before('11'), before('22'), before('33')]).toEqual(['aaaaaaa1', 'aaaaaaa2', undefined])
})

test('a watch goes on from the last run of its own policy, not of another one of that id', async () => {
  const directory = temporaryDirectory()
  const at4 = storedRun({ id: 'c', startedAt: at(4) })
  const of = (source: string, text: string): Pick<typeof at4, 'policies'> => ({
    policies: [policyResult({ source, sha256: text.repeat(64) })],
  })
  await storeRun(directory, { ...storedRun({ id: 'aaaaaaa1', startedAt: at(1) }), ...of('db/base.yaml', 'a') })
  await storeRun(directory, { ...storedRun({ id: 'aaaaaaa2', startedAt: at(2) }), ...of('web/base.yaml', 'b') })
  const runs = await recallRuns(directory, {})
  expect(counterpartOf({ ...at4, ...of('db/base.yaml', 'c') }, runs)?.run.id.slice(0, 8)).toBe('aaaaaaa1')
})
