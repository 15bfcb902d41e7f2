import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { prometheus } from '../../../src/report/formats/prometheus/index.ts'
import { NOTHING_SEEN, writeMetrics } from '../../../src/runs/watch/metrics.ts'
import { runOf } from '../../support/run.ts'
import { temporaryDirectory } from '../../support/temporary.ts'

test('two watches that write to one directory have no series in common', async () => {
  const directory = temporaryDirectory()
  const state = { ...NOTHING_SEEN, evaluatedAt: 1_795_292_641 }
  const series: string[] = []
  for (const name of ['web.prom', 'a "quoted" db.prom']) {
    const path = join(directory, name)
    await writeMetrics(path, { run: runOf(), format: prometheus }, state)
    const lines = readFileSync(path, 'utf8').split('\n')
    series.push(...lines.filter((line) => line.startsWith('driftgate_')).map((line) => line.replace(/ \S+$/, '')))
  }
  expect(series).toContain('driftgate_watch_ok{scan="web"}')
  expect(series).toContain(String.raw`driftgate_watch_scans_total{scan="a \"quoted\" db",fate="done"}`)
  expect(new Set(series).size).toBe(series.length)
})

test('a watch begins with nothing counted', async () => {
  const path = join(temporaryDirectory(), 'web.prom')
  await writeMetrics(path, { run: undefined, format: undefined }, NOTHING_SEEN)
  const values = readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => /^driftgate_watch_.*_total\b/.test(line))
  // The five fates of a scan, changes, and commands that failed.
  expect(values.map((line) => line.replace(/^.* /, ''))).toEqual(Array.from({ length: 7 }, () => '0'))
})
