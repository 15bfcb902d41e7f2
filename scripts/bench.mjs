// Measures the budgets of driftgate's speed, each as a ratio of two things measured in the same run on the same machine,
// prints them side by side and writes reports/bench.json. Nothing fails here: a slow machine is not a broken program.
// A benchmark is a file in scripts/bench/ with a function `run(tools)` that returns rows; it is found by itself.
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { cpus, tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { createTools } from './bench-tools.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const [only] = process.argv.slice(2)
const folder = await mkdtemp(join(tmpdir(), 'driftgate-bench-'))

try {
  const tools = await createTools(folder)
  const rows = []
  for (const file of (await readdir(join(root, 'scripts/bench'))).toSorted()) {
    if (only !== undefined && file !== `${only}.mjs`) continue
    const { run } = await import(`./bench/${file}`)
    for (const row of await run(tools)) {
      console.log(formatRow(row))
      rows.push(row)
    }
  }
  const machine = { node: process.version, cpu: cpus()[0]?.model, cpus: cpus().length, memoryBytes: totalmem() }
  await mkdir(join(root, 'reports'), { recursive: true })
  await writeFile(join(root, 'reports/bench.json'), `${JSON.stringify({ machine, rows }, null, 2)}\n`)
  console.log('\nwrote reports/bench.json')
} finally {
  await rm(folder, { recursive: true, force: true })
}

/** A row is `{ work, measured, unit, against?, baseline?, ratio?, budget?, skipped? }`, or `{ work, columns, missing }`. */
function formatRow({ work, measured, unit, against, baseline, ratio, budget, skipped, columns, missing }) {
  if (columns !== undefined) return formatColumns(work, columns, missing)
  if (skipped !== undefined) return `${work.padEnd(58)} skipped: ${skipped}`
  const value = `${measured.toFixed(0).padStart(7)} ${unit}`
  const compared =
    ratio === undefined ? '' : `${ratio.toFixed(2).padStart(8)} x ${against} (${baseline.toFixed(0)} ${unit})`
  const verdict = budget === undefined ? '' : `   budget ${budget.text}: ${budget.met ? 'ok' : 'OVER'}`
  return `${work.padEnd(58)}${value}${compared}${verdict}`
}

/** What several programs need for the same work. One that was not done in time has no figures. */
function formatColumns(work, columns, missing) {
  const cells = columns.map(({ name, elapsedMs, cpuMs, mebibytes }) => {
    if (cpuMs === undefined) return `${name} not done in time`
    return `${name} ${cpuMs.toFixed(0)} ms of CPU, ${elapsedMs.toFixed(0)} ms, ${mebibytes.toFixed(0)} MiB`
  })
  return `${work.padEnd(58)}${[...cells, ...missing.map((name) => `${name} not installed`)].join('   ')}`
}
