// The import rules of .dependency-cruiser.cjs. A cruise that reads no file finds no violation either, so the number of
// files it has read is compared with the number there are.
import { readdir } from 'node:fs/promises'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { spawnSync } from 'node:child_process'

const root = fileURLToPath(new URL('..', import.meta.url))
const { stdout, stderr } = spawnSync(
  'depcruise',
  ['src', '--config', '.dependency-cruiser.cjs', '--output-type', 'json'],
  { cwd: root, encoding: 'utf8', maxBuffer: 256 * 1024 * 1024 },
)
const { summary, modules } = parseCruise()
const read = modules.filter(({ source }) => source.startsWith('src/')).length
const files = (await readdir(`${root}src`, { recursive: true })).filter(isOurs).length

for (const { rule, from, to } of summary.violations) console.error(`${rule.severity} ${rule.name}: ${from} -> ${to}`)
if (read < files) console.error(`dependency-cruiser read ${read} of ${files} files, its result means nothing`)
process.exitCode = summary.error > 0 || read < files ? 1 : 0

function parseCruise() {
  try {
    return JSON.parse(stdout).summary === undefined ? fail() : JSON.parse(stdout)
  } catch {
    return fail()
  }
}

function fail() {
  console.error(`dependency-cruiser gave no result\n${stderr}`)
  process.exit(1)
}

function isOurs(file) {
  return file.endsWith('.ts') && !file.endsWith('.d.ts') && !file.includes('generated')
}
