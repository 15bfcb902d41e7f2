import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const script = path.resolve(import.meta.dirname, '../../../scripts/conformance.mjs')

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'conformance-test-'))
})
afterAll(() => {
  rmSync(folder, { recursive: true })
})

interface Run {
  readonly exitCode: number | null
  readonly output: string
  readonly statuses: readonly string[]
}

/** Runs the script on a folder of its own with the given files. */
function runOn(name: string, files: Readonly<Record<string, unknown>>): Run {
  const directory = path.join(folder, name)
  for (const [file, content] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(directory, file)), { recursive: true })
    writeFileSync(path.join(directory, file), JSON.stringify(content))
  }
  const json = path.join(folder, `${name}.json`)
  const { status, stdout } = spawnSync(process.execPath, [script, directory, '--json', json], { encoding: 'utf8' })
  const outcomes: { status: string }[] = JSON.parse(readFileSync(json, 'utf8'))
  return { exitCode: status, output: stdout, statuses: outcomes.map((outcome) => outcome.status) }
}

const gjson = (template: string, raw: string): object => ({
  engine: 'gjson',
  template,
  json: '{"a":1}',
  jsonValid: true,
  expect: { Raw: raw },
  go: { raw, type: 'Number', exists: true, string: raw, lookup: Number(raw) },
})

describe('the conformance runner', () => {
  test.each([
    ['a named folder', [path.join(tmpdir(), 'no such folder')], {}, 1],
    ['no folder, in CI', [], { CI: 'true' }, 1],
    ['no folder', [], {}, 0],
  ])('says what is missing where there are no cases: %s', (_title, args, env, exitCode) => {
    const cwd = mkdtempSync(path.join(folder, 'empty-'))
    const run = spawnSync(process.execPath, [script, ...args], { encoding: 'utf8', cwd, env })
    expect(run.stderr).toMatch(/^NOTHING WAS COMPARED: there are no recorded cases in /)
    expect(run.status).toBe(exitCode)
  })

  test('passes matching cases, also with a shared environment', () => {
    const strings = { engine: 'ccm', kind: 'string', template: '{{ Data.port }}', expect: '8080' }
    const typed = { engine: 'ccm', kind: 'typed', template: '{{ Data.port }}', expect: 8080 }
    const run = runOn('good', {
      'own.json': { env: { data: { port: 8080 } }, vectors: [strings, typed] },
      'gjson.json': [gjson('a', '1')],
    })
    expect(run.statuses).toEqual(['passed', 'passed', 'passed'])
    expect(run.exitCode).toBe(0)
  })

  test('fails on a difference and shows both sides', () => {
    const run = runOn('bad', { 'gjson.json': [gjson('a', '1'), gjson('a', '2')] })
    expect(run.statuses).toEqual(['passed', 'failed'])
    expect(run.exitCode).toBe(1)
    expect(run.output).toContain('want "2", found "1"')
  })

  test('counts ints and floats as different', () => {
    const run = runOn('types', {
      'expr.json': [{ engine: 'expr', kind: 'eval', template: '4 / 2', expect: 2 }],
      'oracle/expr.json': [{ engine: 'expr', kind: 'eval', template: '4 / 2', expect: { $float: '2' } }],
    })
    expect(run.statuses).toEqual(['failed', 'passed'])
  })

  test('does not require cases that were only observed', () => {
    const run = runOn('observed', { 'oracle/gjson.json': [gjson('a', '2')] })
    expect(run.statuses).toEqual(['failed'])
    expect(run.exitCode).toBe(0)
  })

  test('wants errors where errors are recorded', () => {
    const failing = {
      engine: 'expr',
      kind: 'error',
      template: 'nope',
      error: { match: 'contains', text: 'unknown name' },
    }
    const run = runOn('errors', { 'expr.json': [failing, { ...failing, template: '1' }] })
    expect(run.statuses).toEqual(['passed', 'failed'])
    expect(run.exitCode).toBe(1)
  })

  test('lists the cases that it did not run', () => {
    const run = runOn('unknown', {
      'other.json': [{ engine: 'cobol', kind: 'run', template: '' }],
      'expr.json': [{ engine: 'expr', kind: 'tokens', template: '1', tokens: [] }],
    })
    expect(run.statuses).toEqual(['not-run', 'not-run'])
    expect(run.output).toContain('this build has no such engine')
    expect(run.exitCode).toBe(0)
  })

  test('notices an exception that is no longer one', () => {
    const run = runOn('stale', {
      'gjson.json': [{ ...gjson('a', '1'), json: '{"overflow_int64":1}', template: 'overflow_int64' }],
    })
    expect(run.statuses).toEqual(['stale'])
    expect(run.exitCode).toBe(1)
  })

  test('explains its usage', () => {
    expect(spawnSync(process.execPath, [script, 'one', 'two']).status).toBe(2)
  })
})
