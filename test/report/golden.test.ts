import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Parser } from 'tap-parser'
import { expect, test } from 'vitest'
import { parse as parseYaml } from 'yaml'
import type { Run } from '../../src/model/run.ts'
import { withoutRollUps } from '../../src/model/roll-up.ts'
import { renderReport, reportFormats } from '../../src/report/index.ts'
import { readHdf } from '../support/hdf.ts'
import { readOscal } from '../support/oscal.ts'
import { parsePrometheus } from '../support/prometheus.ts'
import { findAll, parseXml } from '../support/xml.ts'

/** Stored reports: one machine with all that a report can hold, and three machines put together. */
const STORED = ['host', 'fleet'] as const

function pathOf(name: string): string {
  return fileURLToPath(new URL(`../fixtures/reports/${name}`, import.meta.url))
}

function readStored(name: string): Run {
  return JSON.parse(readFileSync(pathOf(`${name}.json`), 'utf8')) as Run
}

const CASES = STORED.flatMap((stored) => reportFormats.map(({ name }) => [stored, name] as const))

// A report that has changed on purpose: `npx vitest run test/report/golden.test.ts -u` writes it anew. It is the
// difference that is to be read before it is committed.
test.each(CASES)('the report of the %s in the format %s is what it was', async (stored, format) => {
  const path = pathOf(format === 'json' ? `${stored}.json` : `${stored}.${format}`)
  const isThere = existsSync(path)
  await expect(await renderReport(readStored(stored), format)).toMatchFileSnapshot(path)
  expect(isThere, `${path} was missing and is written now: read it, then run this again`).toBe(true)
})

/** How many results a reader of the format finds, one that has nothing to do with who writes it. */
const READERS: Readonly<Record<string, (text: string) => number>> = {
  json: (text) => (JSON.parse(text) as Run).policies.flatMap(({ resources }) => withoutRollUps(resources)).length,
  junit: (text) => findAll(parseXml(text), 'testcase').length,
  tap: (text) => Parser.parse(text, { strict: true }).filter(([event]) => event === 'assert').length,
  prometheus: (text) =>
    parsePrometheus(text)
      .filter(({ name }) => name === 'driftgate_resources')
      .reduce((sum, { value }) => sum + value, 0),
  hdf: (text) => new Set(readHdf(text).flatMap(({ raw }) => raw.results.map((result) => result['code_desc']))).size,
  ndjson: (text) => text.split('\n').filter((line) => line.startsWith('{"event":"resource",')).length,
}

test.each([
  // Junit, tap and hdf say of the fleet that one of its scans is not whole.
  ['host', { json: 18, junit: 18, tap: 18, prometheus: 18, hdf: 18, ndjson: 18 }],
  ['fleet', { json: 6, junit: 7, tap: 7, prometheus: 6, hdf: 6, ndjson: 6 }],
])('an independent reader finds every result of the %s', (stored, expected) => {
  const found = Object.entries(READERS).map(([format, read]) => {
    const path = pathOf(format === 'json' ? `${stored}.json` : `${stored}.${format}`)
    return [format, read(readFileSync(path, 'utf8'))]
  })
  expect(Object.fromEntries(found)).toEqual(expected)
})

test.each(STORED)('the report of the %s in the format oscal keeps the rules of the format', (stored) => {
  expect(readOscal(readFileSync(pathOf(`${stored}.oscal`), 'utf8'))).not.toEqual([])
})

test('every block of diagnostics in TAP is YAML by itself', () => {
  const blocks = readFileSync(pathOf('host.tap'), 'utf8').match(/^ {2}---\n(?: {2}.*\n)*? {2}\.\.\.$/gm) ?? []
  expect(blocks.length).toBeGreaterThan(10)
  for (const block of blocks) {
    const text = block.replaceAll(/^ {2}/gm, '')
    expect(parseYaml(text.replace(/\n\.\.\.$/, '\n'))).toMatchObject({ verdict: expect.any(String) })
  }
})
