// Compares two builds of the command line: the same scans, and their JSON reports byte for byte but for times and identities of
// the run. For a change that must not change behaviour. node scripts/compare-builds.mjs OLD-DIST NEW-DIST [ROOT...]
// scans this machine and each root (such as a clean and a broken one) with every policy that ships, and this machine with every
// manifest of test/fixtures. Exit code 1 where a report or an exit code differs, or where nothing was compared.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import process from 'node:process'

const [oldDist, newDist, ...roots] = process.argv.slice(2)
if (newDist === undefined) {
  console.error('usage: node scripts/compare-builds.mjs OLD-DIST NEW-DIST [ROOT...]')
  process.exit(2)
}
const folder = mkdtempSync(join(tmpdir(), 'driftgate-builds-'))
const builds = [oldDist, newDist].map((dist) => resolve(dist, 'bin/driftgate.js'))
const targets = ['local', ...roots.map((root) => `root:${resolve(root)}`)]
const shipped = readdirSync('policies').filter((name) => name.endsWith('.yaml'))
const fixtures = readdirSync('test/fixtures', { recursive: true, encoding: 'utf8' }).filter((name) =>
  /\.ya?ml$/.test(name),
)
const scans = [
  ...targets.flatMap((target) => shipped.map((name) => ({ target, policy: join('policies', name) }))),
  ...fixtures.map((name) => ({ target: 'local', policy: join('test/fixtures', name) })),
]

let differing = 0
for (const { target, policy } of scans) {
  const [before, after] = builds.map((build, index) => scan(build, target, policy, index))
  if (before === after) continue
  differing++
  console.log(`differs: ${policy} on ${target}\n${firstDifference(before, after)}`)
}
rmSync(folder, { recursive: true })
console.log(`${scans.length} scans compared, ${differing} differ`)
process.exitCode = differing > 0 || scans.length === 0 ? 1 : 0

/** Exit code and report of a scan, without what differs between two runs of one build. */
function scan(build, target, policy, index) {
  const report = join(folder, `${index}.json`)
  writeFileSync(report, '')
  const { status, stderr } = spawnSync(
    process.execPath,
    [build, 'scan', policy, '--target', target, '--quiet', '--report', `json=${report}`],
    { encoding: 'utf8', env: { ...process.env, HOME: folder } },
  )
  const text = readFileSync(report, 'utf8')
  return JSON.stringify({ status, stderr, report: text === '' ? '' : JSON.parse(text, withoutTimes) }, undefined, 1)
}

function withoutTimes(key, value) {
  return /^(?:runId|run|startedAt|finishedAt|durationMs|.*Ms|version|build)$/.test(key) ? undefined : value
}

function firstDifference(before, after) {
  const [left, right] = [before.split('\n'), after.split('\n')]
  const at = left.findIndex((line, index) => line !== right[index])
  return `  old: ${left
    .slice(at, at + 3)
    .join(' ')
    .slice(0, 300)}\n  new: ${right
    .slice(at, at + 3)
    .join(' ')
    .slice(0, 300)}`
}
