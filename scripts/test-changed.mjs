// Runs the tests near what has changed since the branch left main: those that import it, and those that name it in their path
// or in a title. What reaches the rest of the program through one of the lists below is looked for by its name alone, or a
// change of one type would run the tests of all. Both are guesses that find mistakes early, so it is still for `npm test` to run
// the whole. `npm run test:changed -- BASE` compares with another commit, `-- --list` only says what would run.
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { parseArgs } from 'node:util'

/** Modules that list what others add: their importers have all of it. */
const LISTS = new Set(
  ['index.ts', 'subjects/index.ts', 'report/index.ts', 'cli/commands/index.ts'].map((path) => `src/${path}`),
)
const IMPORT = /(?:from|import)\s*\(?\s*'(\.[^']+)'/g
const TITLE = /^\s*(?:test|describe)\b.*/gm

const { values, positionals } = parseArgs({ allowPositionals: true, options: { list: { type: 'boolean' } } })
const changed = changedFiles(positionals[0] ?? output('git', 'merge-base', 'HEAD', 'main').trim())
const sources = changed.filter((file) => /^(src|test)\/.*\.ts$/.test(file))
const subjects = [...new Set(sources.flatMap(subjectOf))]
const files = [...new Set(output('git', 'ls-files', '-co', '--exclude-standard', 'src', 'test').split('\n'))]
const texts = new Map(files.filter(isThere).map((file) => [file, readFileSync(file, 'utf8')]))
const importing = importersOf(sources)
const tests = [...texts.keys()].filter((file) => file.endsWith('.test.ts') && (importing.has(file) || isNamedIn(file)))

console.log(`changed: ${sources.length} files of src and test, about ${subjects.join(', ') || 'nothing with a name'}`)
console.log(['', ...tests].join('\n  '))
console.log('npm run test:servers and test:system run those of them that need root, servers or a browser')
if (values.list !== true && tests.length > 0) process.exitCode = runAll()

function runAll() {
  const projects = ['unit', 'e2e', 'docs'].flatMap((name) => ['--project', name])
  const steps = [['vitest', 'run', '--passWithNoTests', ...projects, ...tests]]
  if (tests.some((file) => /^test\/(e2e|docs)\//.test(file))) steps.unshift(['npm', 'run', '--silent', 'build:needed'])
  const failed = steps.filter(([command, ...args]) => spawnSync(command, args, { stdio: 'inherit' }).status !== 0)
  return failed.length > 0 ? 1 : 0
}

/** What differs from a commit in the working tree, files that are new in it too, without those that are gone. */
function changedFiles(base) {
  const paths = output('git', 'diff', '--name-only', base) + output('git', 'ls-files', '--others', '--exclude-standard')
  return paths.split('\n').filter(isThere)
}

function isThere(file) {
  return /\.\w+$/.test(file) && existsSync(file)
}

/** The files that import one of these, and those that import them in turn, but for what is behind a list. */
function importersOf(start) {
  const importers = new Map()
  for (const [file, text] of texts) {
    for (const [, path] of text.matchAll(IMPORT)) {
      const imported = join(dirname(file), path)
      importers.set(imported, [...(importers.get(imported) ?? []), file])
    }
  }
  const found = new Set(start)
  for (const file of found) {
    if (LISTS.has(file) && !start.includes(file)) continue
    for (const importer of importers.get(file) ?? []) found.add(importer)
  }
  return found
}

/** What a test of the whole calls that which a source belongs to: its command, type, format or surface, or else its room. */
function subjectOf(file) {
  const [, , name] = /^src\/(cli\/commands|subjects|report\/formats|settings)\/([^/.]+)/.exec(file) ?? []
  const [, room] = /^src\/([^/.]+)\//.exec(file) ?? []
  return name ?? room ?? []
}

function isNamedIn(file) {
  const titles = texts.get(file).match(TITLE) ?? []
  return subjects.some((subject) =>
    new RegExp(`(?<![\\w-])${subject}s?(?![\\w-])`).test(`${file.replaceAll('/', ' ')}\n${titles.join('\n')}`),
  )
}

function output(command, ...args) {
  return execFileSync(command, args, { encoding: 'utf8' })
}
