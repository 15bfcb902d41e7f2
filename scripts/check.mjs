// The gate: every check in order, each one timed. The first that fails ends it with its output. `--no-tests` leaves the
// tests out, for CI, which has run them before.
import { spawnSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'

const root = fileURLToPath(new URL('..', import.meta.url))
const withTests = !process.argv.includes('--no-tests')
// The build lays a source map beside the bundle, tests count the lines they run.
if (withTests) process.env.COVERAGE ??= '1'
const scratch = await mkdtemp(join(tmpdir(), 'driftgate-check-'))

const steps = [
  tool('formatting', 'prettier', '--check', '--log-level', 'warn', '.'),
  // What is generated must be there for types and lint.
  node('generate', 'scripts/generate.mjs'),
  tool('types', 'tsc', '--noEmit', '-p', 'tsconfig.json'),
  tool('lint', 'oxlint', '--deny-warnings'),
  node('import rules', 'scripts/check-imports.mjs'),
  node('words', 'scripts/words.mjs'),
  tool('spelling', 'cspell', 'lint', '--no-progress', '--no-summary'),
  tool('dead code', 'knip'),
  node('build', 'scripts/build.mjs', '--if-needed'),
  ...(withTests ? [tool('tests', 'npm', 'test'), node('coverage of cli', 'scripts/coverage-of-cli.mjs')] : []),
  tool('package', 'publint', '--strict'),
  tool('API documentation', 'typedoc', '--options', 'typedoc.json', '--out', join(scratch, 'api')),
]

try {
  process.exitCode = runAll()
} finally {
  await rm(scratch, { recursive: true, force: true })
}

function runAll() {
  const start = performance.now()
  for (const { name, command, args } of steps) {
    const stepStart = performance.now()
    const { status, stdout, stderr, error } = spawnSync(command, args, {
      cwd: root,
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
      // npx and npm scripts put the tools on the path; a direct call does not.
      env: { ...process.env, PATH: `${join(root, 'node_modules/.bin')}:${process.env.PATH}` },
    })
    const seconds = ((performance.now() - stepStart) / 1000).toFixed(1).padStart(6)
    if (status !== 0) {
      console.log(`${seconds} s  ${name}: FAILED\n\n${stdout ?? ''}${stderr ?? ''}${error?.message ?? ''}`)
      return 1
    }
    const note = name === 'tests' ? `  ${testSummary(stdout)}` : ''
    console.log(`${seconds} s  ${name}${note}`)
  }
  console.log(`${((performance.now() - start) / 1000).toFixed(1).padStart(6)} s  all checks passed`)
  return 0
}

function testSummary(output) {
  const [, summary = ''] = /^\s*Tests\s+(.*)$/m.exec(stripVTControlCharacters(output)) ?? []
  return summary
}

function tool(name, command, ...args) {
  return { name, command, args }
}

function node(name, ...args) {
  return { name, command: process.execPath, args }
}
