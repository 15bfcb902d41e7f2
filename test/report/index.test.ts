import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findReportFormat, renderReport, reportFormats } from '../../src/report/index.ts'
import type { RenderOptions } from '../../src/report/format.ts'
import type { Run } from '../../src/model/run.ts'
import { arbitraryRun } from '../support/arbitrary-run.ts'
import { runOf } from '../support/run.ts'
import { SAMPLE_RUNS } from '../support/sample-runs.ts'
import { cases } from '../support/soak.ts'

test('the formats are found by their names', () => {
  const names = reportFormats.map(({ name }) => name)
  expect(names.slice(0, 4)).toEqual(['text', 'plan', 'json', 'junit'])
  expect(new Set(names).size).toBe(names.length)
  for (const format of reportFormats) expect(findReportFormat(format.name)).toBe(format)
  expect(findReportFormat('JSON')).toBeUndefined()
})

test('files are written under the names that CI systems are told', () => {
  const fileNames = reportFormats.map(({ fileName }) => fileName)
  expect(fileNames.slice(0, 4)).toEqual([undefined, undefined, 'drift.json', 'junit.xml'])
  const given = fileNames.filter((name) => name !== undefined)
  expect(new Set(given).size).toBe(given.length)
})

test('a format defined by a program renders the run without colour', async () => {
  const own = {
    name: 'own',
    summary: 'The name of the host',
    suffix: '\n',
    render({ target }: Run, { paint }: RenderOptions) {
      return paint('bad', target.hostname) + this.suffix
    },
  }
  expect(await renderReport(runOf(), own)).toBe(`${runOf().target.hostname}\n`)
})

test('an unknown format names the nearest and all there are', async () => {
  await expect(renderReport(runOf(), 'junitt')).rejects.toThrow(
    'unknown report format "junitt", did you mean "junit"?; known: text, plan, json, junit, ',
  )
})

test.each(SAMPLE_RUNS)('the %s run gives the same bytes every time, in every format', async (_name, run) => {
  for (const { name } of reportFormats) {
    const first = await renderReport(run, name)
    expect(await renderReport(structuredClone(run), name)).toBe(first)
  }
})

test.each(reportFormats.map(({ name }) => name))('%s renders any run, with a line feed at its end', async (name) => {
  await fc.assert(
    fc.asyncProperty(arbitraryRun, async (run) => {
      expect(await renderReport(run, name)).toMatch(/\n$/)
    }),
    { numRuns: cases({ usual: 12, soak: 400 }) },
  )
})
