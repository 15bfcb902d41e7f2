// Compares the readers of settings with the programs whose reading they follow, over many generated texts, and prints a table:
// `npm run prove:readers -- [--texts 2000] [--seed N] [--keep FILE] [PATTERN ...]`. A pattern is a part of the path of a test,
// and FILE gets all differences as lines of JSON.
import { execFileSync, spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { parseArgs } from 'node:util'

const FOLDERS = [...(process.env.PATH ?? '').split(':'), '/usr/sbin', '/usr/lib/systemd']

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    texts: { type: 'string', default: '2000' },
    keep: { type: 'string' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
})
const tests = execFileSync('git', ['grep', '-l', 'support/proof.ts', '--', 'test/*.test.ts'], { encoding: 'utf8' })
const files = tests
  .trim()
  .split('\n')
  .filter((path) => positionals.length === 0 || positionals.some((pattern) => path.includes(pattern)))
if (files.length === 0) throw new Error(`no test of a reader matches ${positionals.join(' ')}`)

const folder = mkdtempSync(join(tmpdir(), 'driftgate-proofs-'))
try {
  const proofs = join(folder, 'proofs')
  const { status } = spawnSync('npx', ['vitest', 'run', '--maxWorkers=1', ...files], {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: {
      ...process.env,
      DRIFTGATE_PROOFS: proofs,
      DRIFTGATE_TEST_TEXTS: values.texts,
      DRIFTGATE_TEST_SEED: values.seed,
    },
  })
  process.exitCode = status ?? 1
  if (existsSync(proofs) && values.keep !== undefined) copyFileSync(proofs, values.keep)
  if (existsSync(proofs)) printTable(readFileSync(proofs, 'utf8').trim().split('\n'))
} finally {
  rmSync(folder, { recursive: true })
}

function printTable(lines) {
  const rows = lines.map((line) => JSON.parse(line)).toSorted((one, other) => one.reader.localeCompare(other.reader))
  console.log(
    `\nseed ${values.seed}\n\n| reader | program | version | texts | differences |\n| --- | --- | --- | --: | --: |`,
  )
  for (const { reader, program, texts, differences } of rows) {
    const count = texts < Number(values.texts) ? `${texts} (slow)` : texts
    console.log(
      `| ${reader} | ${program.replace(/.*\//, '')} | ${versionOf(program)} | ${count} | ${differences.length} |`,
    )
  }
}

/** The version of the package that a program belongs to. */
function versionOf(program) {
  const found = [program, ...FOLDERS.map((each) => join(each, program))].find((path) => existsSync(path))
  if (found === undefined) return '?'
  const path = realpathSync(found)
  // A distribution may list a file by the place that it had before /usr was merged.
  const owner = [path, path.replace(/^\/usr/, '')].map((each) => output('dpkg', '-S', each)).find((each) => each !== '')
  if (owner !== undefined) return output('dpkg-query', '-W', '-f', '${Version}', owner.replace(/[:,].*/s, ''))
  return output('rpm', '-q', '--qf', '%{VERSION}-%{RELEASE}', '-f', path) || '?'
}

function output(program, ...args) {
  const { status, stdout } = spawnSync(program, args, { encoding: 'utf8' })
  return status === 0 ? stdout.trim() : ''
}
