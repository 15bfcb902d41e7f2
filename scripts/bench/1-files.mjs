// The file budgets: start-up, a small policy, growth, and 10,000 files against tools that do the same work.
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'

const DIST = new URL('../../dist/', import.meta.url)

export async function run(tools) {
  const { driftgate, nothing, median, compare, makeFiles } = tools
  const ten = await makeFiles(10)
  const thousand = await makeFiles(1_000)
  const inJson = await makeFiles(10_000, { policyFormat: 'json' })
  const many = await makeFiles(10_000)
  const scan = ({ policy }) => driftgate('scan', policy, '--quiet')

  const [node, version, small] = median([nothing, driftgate('--version'), scan(ten)], { runs: 15 })
  const [middle] = median([scan(thousand)], { runs: 7 })
  const check = ['sha256sum', '--check', '--quiet', many.sums]
  const [sums, large, json] = median([check, scan(many), scan(inJson)], { runs: 5 })
  const engine = await engineOnly(tools, many)
  const against = { against: 'node -e 0', baseline: node }
  return [
    compare('driftgate --version', version, { ...against, atMost: 2 }),
    compare('10 files, whole command', small, { ...against, atMost: 2.5 }),
    compare('1,000 files, whole command', middle, { against: '10 files', baseline: small }),
    compare('10,000 files, whole command', large, { against: '1,000 files', baseline: middle }),
    compare('10,000 files, whole command, YAML', large, { against: 'sha256sum -c', baseline: sums, atMost: 12 }),
    compare('10,000 files, whole command, JSON', json, { against: 'sha256sum -c', baseline: sums, atMost: 6 }),
    compare('10,000 files, without reading YAML', engine, { against: 'sha256sum -c', baseline: sums, atMost: 3 }),
    puppet(tools, many, large),
    await memory(tools),
  ]
}

/** Observing, deciding and reporting, without reading the policy: the built modules in a process of their own. */
async function engineOnly({ folder, median }, { policy }) {
  const script = join(folder, 'engine.mjs')
  const out = join(folder, 'engine-time')
  const from = (file) => JSON.stringify(new URL(file, DIST).href)
  await writeFile(
    script,
    `import { writeFileSync } from 'node:fs'
     import { runPolicies } from ${from('engine/run.js')}
     import { loadPolicy } from ${from('policy/load.js')}
     import { renderReport } from ${from('report/index.js')}
     import { loadTypes } from ${from('subjects/index.js')}
     import { createLocalTarget } from ${from('host/live/local-target.js')}
     const { value } = await loadPolicy(process.argv[2])
     const types = await loadTypes()
     const start = performance.now()
     await renderReport(await runPolicies(value, { target: createLocalTarget(), types }), 'json')
     writeFileSync(process.argv[3], String(performance.now() - start))`,
  )
  const times = []
  for (let run = 0; run < 5; run++) {
    median([[process.execPath, script, policy, out]], { runs: 0 })
    times.push(Number(await readFile(out, 'utf8')))
  }
  return times.toSorted((left, right) => left - right)[2]
}

function puppet({ isInstalled, median, compare }, { manifest }, large) {
  const work = '10,000 files, whole command'
  if (!isInstalled('puppet'))
    return { work: `${work}, against puppet apply --noop`, skipped: 'puppet is not installed' }
  const [noop] = median([['puppet', 'apply', '--noop', manifest]], { runs: 1 })
  return compare(work, large, { against: 'puppet apply --noop', baseline: noop, fasterBy: 20 })
}

/** 10,000 resources with 20 MB of inline content: 2 KB each. */
async function memory({ driftgate, makeFiles, peakMemoryBytes }) {
  const { policy } = await makeFiles(10_000, { sizeBytes: 2_000 })
  const measured = (await peakMemoryBytes(driftgate('scan', policy, '--quiet'))) / 1_000_000
  const budget = { text: '512 MB', met: measured < 512 }
  return { work: 'memory, 10,000 files with 20 MB of content', measured, unit: 'MB', budget }
}
