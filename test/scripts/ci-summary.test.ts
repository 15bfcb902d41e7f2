import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../support/temporary.ts'

const SCRIPT = resolve('scripts/ci-summary.mjs')

function summaryOf(files: Readonly<Record<string, string>>): {
  readonly code: number | null
  readonly lines: string[]
} {
  const folder = temporaryDirectory()
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content)
  const { status, stdout } = spawnSync(process.execPath, [SCRIPT, folder], { encoding: 'utf8' })
  return { code: status, lines: stdout.trimEnd().split('\n') }
}

const passed = { status: 'passed', fullName: 'b', failureMessages: [] }
const failed = {
  status: 'failed',
  fullName: 'a group is fine',
  failureMessages: ['Error: expected 1 to be 2\n    at x'],
}

function results(...assertionResults: object[]): string {
  return JSON.stringify({ testResults: [file('a', 0, assertionResults)] })
}

function file(name: string, seconds: number, assertionResults: readonly object[] = [passed]): object {
  const status = assertionResults.includes(failed) ? 'failed' : 'passed'
  const times = { startTime: 5_000, endTime: 5_000 + seconds * 1_000 }
  return { name: resolve(`test/${name}.test.ts`), status, message: '', assertionResults, ...times }
}

test('with no failure only the times stand before the count', () => {
  const files = { 'steps.tsv': 'tests\t0\t61\nchecks\t0\t7\n', 'tests.json': results(passed, passed) }
  const { code, lines } = summaryOf(files)
  const times = ['', '== times', '    61 s  tests', '     7 s  checks', '']
  expect(lines).toEqual([...times, '== slowest files', '     0 s  test/a.test.ts', '', '2 passed, 0 failed'])
  expect(code).toBe(0)
})

test('the tests of all steps count, and the ten files that took longest are named', () => {
  const quick = Array.from({ length: 11 }, (_, index) => file(`quick${index}`, index + 1))
  const files = {
    'steps.tsv': 'tests\t0\t61\nserver tests\t0\t30\nsystem tests\t0\t90\n',
    'tests.json': JSON.stringify({ testResults: quick }),
    'servers.json': JSON.stringify({ testResults: [file('between', 20)] }),
    'system.json': JSON.stringify({ testResults: [file('slow', 88.4)] }),
  }
  const { lines } = summaryOf(files)
  const [first, second, ...others] = lines.slice(lines.indexOf('== slowest files') + 1, -2)
  expect([first, second]).toEqual(['    88 s  test/slow.test.ts', '    20 s  test/between.test.ts'])
  expect(others).toHaveLength(8)
  expect(lines.at(-1)).toBe('13 passed, 0 failed')
})

test('a step that fails without a failed test is reported, with any failures of the other step', () => {
  const files = {
    'steps.tsv': 'tests\t1\t61\nsystem tests\t1\t90\n',
    'tests.json': results(passed, failed),
    'system.json': results(passed),
    '2.log': 'skipped although everything is here that tests need',
  }
  const { lines } = summaryOf(files)
  expect(lines).toContain('step "system tests" ended with 1, its output with')
  expect(lines.at(-1)).toBe('2 passed, 2 failed')
})

test('a test that failed is named with its message, and counted once', () => {
  const { code, lines } = summaryOf({ 'steps.tsv': 'tests\t1\t61\n', 'tests.json': results(passed, failed) })
  expect(lines).toContain('test/a.test.ts > a group is fine')
  expect(lines).toContain('  Error: expected 1 to be 2')
  expect(lines.at(-1)).toBe('1 passed, 1 failed')
  expect(code).toBe(1)
})

test('a file that could not be loaded is a failure', () => {
  const broken = { name: resolve('test/a.test.ts'), status: 'failed', message: 'no such module', assertionResults: [] }
  const files = { 'steps.tsv': 'tests\t1\t61\n', 'tests.json': JSON.stringify({ testResults: [broken] }) }
  const { code, lines } = summaryOf(files)
  expect(lines).toContain('  no such module')
  expect(lines.at(-1)).toBe('0 passed, 1 failed')
  expect(code).toBe(1)
})

test('a step that failed is named with the end of its output', () => {
  const log = Array.from({ length: 100 }, (_, index) => `line ${index}`).join('\n')
  const files = { 'steps.tsv': 'tests\t0\t61\nchecks\t2\t7\n', 'tests.json': results(passed), '2.log': log }
  const { code, lines } = summaryOf(files)
  expect(lines).toContain('step "checks" ended with 2, its output with')
  expect(lines).toContain('  line 99')
  expect(lines).not.toContain('  line 1')
  expect(lines.at(-1)).toBe('1 passed, 1 failed')
  expect(code).toBe(1)
})

test('nothing that ran is no success', () => {
  const { code, lines } = summaryOf({ 'steps.tsv': 'tests\t0\t0\n' })
  expect(lines.at(-1)).toBe('0 passed, 0 failed')
  expect(code).toBe(1)
})
