// Runs the tests near what has changed since the branch left main: unit tests that import it, and tests of the built command
// that name it. The second is a guess from words, so it is still for `npm test` to run the whole. `npm run test:changed -- BASE`
// compares with another commit, `-- --list` only says what would run.
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import process from 'node:process'
import { parseArgs } from 'node:util'

const { values, positionals } = parseArgs({ allowPositionals: true, options: { list: { type: 'boolean' } } })
const changed = changedFiles(positionals[0] ?? output('git', 'merge-base', 'HEAD', 'main').trim())
const sources = changed.filter((file) => /^(src|test)\/.*\.ts$/.test(file))
const subjects = [...new Set(sources.flatMap(subjectOf))]
const tests = JSON.parse(output('vitest', 'list', '--filesOnly', '--json')).map(({ file, projectName }) => ({
  file: file.slice(process.cwd().length + 1),
  projectName,
}))
const named = tests.filter(
  ({ projectName, file }) => projectName === 'e2e' && (changed.includes(file) || isNamedIn(file)),
)
const hosts = tests.filter(
  ({ projectName, file }) => projectName === 'host' && (changed.includes(file) || isNamedIn(file)),
)

console.log(`changed: ${sources.length} files of src and test, about ${subjects.join(', ') || 'nothing with a name'}`)
console.log(['', ...named.map(({ file }) => file)].join('\n  e2e '))
if (hosts.length > 0)
  console.log(`  not run, npm run test:host does:${['', ...hosts.map(({ file }) => file)].join(' ')}`)
if (values.list !== true) process.exitCode = runAll()

function runAll() {
  const steps = []
  if (sources.length > 0)
    steps.push(['vitest', 'related', '--run', '--project', 'unit', '--passWithNoTests', ...sources])
  if (named.length > 0) {
    steps.push(['npm', 'run', '--silent', 'build:needed'])
    steps.push(['vitest', 'run', '--project', 'e2e', ...named.map(({ file }) => file)])
  }
  const failed = steps.filter(([command, ...args]) => spawnSync(command, args, { stdio: 'inherit' }).status !== 0)
  return failed.length > 0 ? 1 : 0
}

/** What differs from a commit in the working tree, files that are new in it too, without those that are gone. */
function changedFiles(base) {
  const paths = output('git', 'diff', '--name-only', base) + output('git', 'ls-files', '--others', '--exclude-standard')
  return paths.split('\n').filter((file) => file !== '' && existsSync(file))
}

/** What a test of the whole calls that which a source belongs to: its command, type, format, or else its room. */
function subjectOf(file) {
  const [, , name] = /^src\/(cli\/commands|resources|report\/formats)\/([^/.]+)/.exec(file) ?? []
  const [, room] = /^src\/([^/.]+)\//.exec(file) ?? []
  return name ?? room ?? []
}

function isNamedIn(file) {
  const text = readFileSync(file, 'utf8').replaceAll(/^import .*$/gm, '')
  return subjects.some((subject) =>
    new RegExp(`(?<![\\w/-])${subject}s?(?![\\w/-])`).test(`${file.replaceAll('/', ' ')} ${text}`),
  )
}

function output(command, ...args) {
  return execFileSync(command, args, { encoding: 'utf8' })
}
