import { spawnSync } from 'node:child_process'
import { symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import process from 'node:process'
import { expect, test } from 'vitest'
import { temporaryDirectory } from './temporary.ts'

const SKIPPED = `import { describe, expect, test } from 'vitest'
const needsRoot = 'needs root'
test('runs', () => expect(1).toBe(1))
test.skipIf(needsRoot)('one', () => {})
test.skipIf(needsRoot).each([1, 2])('of a table: %i', { timeout: 1000 }, () => {})
describe.skipIf('needs chromium')('a group', () => { test('in it', () => {}) })
test('late', ({ skip }) => skip(true, 'needs to mount'))
`

/** Runs vitest over one file of tests, with the table and what it allows, and returns what it prints and its exit code. */
function run(tests: string, allowed: string): { readonly code: number | null; readonly lines: readonly string[] } {
  const directory = temporaryDirectory()
  symlinkSync(resolve('node_modules'), join(directory, 'node_modules'))
  writeFileSync(join(directory, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(directory, 'a.test.ts'), tests)
  const config = `import { SkipReporter } from '${resolve('test/support/skip-reporter.ts')}'
export default { test: { setupFiles: ['${resolve('test/support/skips.ts')}'], reporters: [new SkipReporter(${allowed})] } }`
  writeFileSync(join(directory, 'vitest.config.ts'), config)
  const vitest = resolve('node_modules/vitest/vitest.mjs')
  const { status, stdout } = spawnSync(process.execPath, [vitest, 'run'], { cwd: directory, encoding: 'utf8' })
  return { code: status, lines: stdout.split('\n').filter((line) => line !== '') }
}

test('a run ends with one table of the causes, the most frequent one first', () => {
  const { code, lines } = run(SKIPPED, '')
  expect(lines).toEqual([
    'skipped: 3 need root, 1 need chromium, 1 need to mount (npm run test:all installs and runs them)',
  ])
  expect(code).toBe(0)
})

test('with all prerequisites present, only listed causes may be skipped', () => {
  const allowed = (...causes: readonly string[]): string =>
    JSON.stringify(causes.map((cause) => ({ cause, because: 'so' })))
  const { code, lines } = run(SKIPPED, allowed('needs root', 'needs to mount'))
  expect(lines.slice(1)).toEqual([
    'skipped although everything is here that tests need:',
    '  a.test.ts > a group > in it: needs chromium',
  ])
  expect(code).toBe(1)
  expect(run(SKIPPED, allowed('needs root', 'needs to mount', 'needs chromium')).code).toBe(0)
})

test('a test that is skipped without a cause is told, too', () => {
  const { code, lines } = run(`import { test } from 'vitest'\ntest.skip('a', () => {})\n`, '[]')
  expect(lines.at(-1)).toBe('  a.test.ts > a: without a cause')
  expect(code).toBe(1)
})
