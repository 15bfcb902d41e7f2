// Measures driftgate beside the programs for the same work that are installed, and prints the table of figures in README:
// `npm run compare`. With `--write` it puts the table there. The rules of OpenSCAP need root, debootstrap and systemd.
import { spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { createTools } from './bench-tools.mjs'
import { run as openscap } from './bench/8-openscap.mjs'
import { run as peers } from './bench/2-peers.mjs'

const README = fileURLToPath(new URL('../README.md', import.meta.url))
const TABLE = /(?<=<!-- figures -->\n)[\s\S]*?(?=<!-- \/figures -->)/
const TITLES = { driftgate: 'driftgate', goss: 'Goss', ccm: 'CCM noop', puppet: 'Puppet noop', oscap: 'OpenSCAP' }
const VERSIONS = { goss: ['goss', '--version'], puppet: ['puppet', '--version'], oscap: ['oscap', '--version'] }

const folder = await mkdtemp(join(tmpdir(), 'driftgate-compare-'))
try {
  const tools = await createTools(folder)
  const rows = [...(await peers(tools)), ...(await openscap(tools))]
  for (const { work, skipped } of rows) if (skipped !== undefined) console.error(`${work}: ${skipped}`)
  const table = tableOf(rows.filter(({ columns }) => columns !== undefined))
  console.log(table)
  if (process.argv.includes('--write'))
    await writeFile(README, (await readFile(README, 'utf8')).replace(TABLE, `\n${table}\n`))
} finally {
  await rm(folder, { recursive: true, force: true })
}

function tableOf(rows) {
  const names = Object.keys(TITLES).filter((name) =>
    rows.some(({ columns }) => columns.some((each) => each.name === name)),
  )
  const lines = [
    ['', ...names.map((name) => TITLES[name])],
    ['---', ...names.map(() => '--:')],
    ...rows.map(({ work, columns }) => [
      work,
      ...names.map((name) => cellOf(columns.find((each) => each.name === name))),
    ]),
  ]
  const versions = names
    .filter((name) => name in VERSIONS)
    .map((name) => `${TITLES[name]} ${versionOf(VERSIONS[name])}`.trim())
  const where = `Node ${process.versions.node}, ${cpus()[0]?.model}, ${cpus().length} processors`
  return `${lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n')}\n\nCPU time and peak memory, medians. ${[...versions, where].join(', ')}.\n`
}

function cellOf(figures) {
  if (figures === undefined) return '–'
  if (figures.cpuMs === undefined) return 'over 2 min'
  const time = figures.cpuMs < 10 ? 'under 0.01' : (figures.cpuMs / 1000).toFixed(2)
  return `${time} s, ${figures.mebibytes.toFixed(0)} MiB`
}

function versionOf([program, ...args]) {
  return /\d+\.\d+\.\d+/.exec(spawnSync(program, args, { encoding: 'utf8' }).stdout)?.[0] ?? ''
}
