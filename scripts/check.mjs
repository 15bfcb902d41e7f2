// The gate: every check, as many at once as there are processors, each one timed. It goes on to the end and then says what
// failed and why. `--no-tests` leaves the tests out, for CI, which has run them before.
import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'

const root = fileURLToPath(new URL('..', import.meta.url))
const withTests = !process.argv.includes('--no-tests')
// The build lays a source map beside the bundle, tests count the lines they run.
if (withTests) process.env.COVERAGE ??= '1'
const scratch = await mkdtemp(join(tmpdir(), 'driftgate-check-'))

// What is generated and built must be there for all others. The slowest begin first.
const first = [node('generate', 'scripts/generate.mjs'), node('build', 'scripts/build.mjs', '--if-needed')]
const independent = [
  tool('API documentation', 'typedoc', '--options', 'typedoc.json', '--out', join(scratch, 'api')),
  tool('formatting', 'prettier', '--check', '--log-level', 'warn', '.'),
  tool('types', 'tsc', '--noEmit', '-p', 'tsconfig.json'),
  tool('lint', 'oxlint', '--deny-warnings'),
  tool('spelling', 'cspell', 'lint', '--no-progress', '--no-summary'),
  tool('dead code', 'knip'),
  node('words', 'scripts/words.mjs'),
  node('blanks', 'scripts/check-blanks.mjs'),
  node('import rules', 'scripts/check-imports.mjs'),
  tool('package', 'publint', '--strict'),
]
const tests = [
  tool('tests', 'npm', 'test'),
  tool('server tests', 'env', 'COVERAGE_HERE=coverage/servers', 'npm', 'run', 'test:servers'),
  node('coverage of cli', 'scripts/coverage-of-cli.mjs'),
]

const failures = []
const begin = performance.now()
try {
  await inTurn(first)
  const waiting = [...independent]
  await Promise.all(Array.from({ length: availableParallelism() }, () => inTurn(waiting)))
  if (withTests) await inTurn(tests)
  for (const { name, output } of failures) console.log(`\n${name}\n\n${output}`)
  const outcome = failures.length === 0 ? 'all checks passed' : `failed: ${failures.map(({ name }) => name).join(', ')}`
  console.log(`${secondsSince(begin)} s  ${outcome}`)
  process.exitCode = failures.length === 0 ? 0 : 1
} finally {
  await rm(scratch, { recursive: true, force: true })
}

/** Runs the steps one after the other; others may take from the same list. */
async function inTurn(steps) {
  while (steps.length > 0) await run(steps.shift())
}

async function run({ name, command, args }) {
  const start = performance.now()
  const child = spawn(command, args, {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    // npx and npm scripts put the tools on the path; a direct call does not.
    env: { ...process.env, PATH: `${join(root, 'node_modules/.bin')}:${process.env.PATH}` },
  })
  const ended = new Promise((resolve) => {
    child.on('error', ({ message }) => resolve(message))
    child.on('close', (code) => resolve(code === 0 ? undefined : ''))
  })
  const [stdout, stderr, problem] = await Promise.all([text(child.stdout), text(child.stderr), ended])
  if (problem !== undefined) failures.push({ name, output: `${stdout}${stderr}${problem}` })
  const note = name === 'tests' ? `  ${testSummary(stdout)}` : ''
  console.log(`${secondsSince(start)} s  ${name}${problem === undefined ? note : ': FAILED'}`)
}

function secondsSince(start) {
  return ((performance.now() - start) / 1000).toFixed(1).padStart(6)
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
