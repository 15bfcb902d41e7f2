import { readFileSync, readdirSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { stripVTControlCharacters } from 'node:util'
import { describe, expect, test } from 'vitest'
import { DRIFTGATE, ownFile, type Running, start, temporaryDirectory, writePolicy } from '../support/driftgate.ts'
import { hasProgram } from '../support/programs.ts'

const CTRL_C = '\u0003'

const MEBIBYTE = 1024 * 1024

/** A directory with a policy of sparse files that are not what it says; each takes a while to read. */
function makeSlowMachine(sizes: readonly number[]): string {
  const directory = temporaryDirectory()
  const names = sizes.map((_, index) => join(directory, `file-${index}`))
  writePolicy(
    join(directory, 'policy.json'),
    names.map((name) => ({ name, ...ownFile({ content: 'x' }) })),
  )
  names.forEach((name, index) => {
    writeFileSync(name, '', { mode: 0o644 })
    truncateSync(name, sizes[index])
  })
  return directory
}

/** Starts driftgate on a pseudo-terminal. Its process number is in the file `pid`. */
function startOnTerminal(cwd: string, args: string, env: Readonly<Record<string, string>> = {}): Running {
  const command = `sh -c 'stty cols 60; echo $$ > pid; exec node ${DRIFTGATE} ${args}'`
  return start('script', ['--quiet', '--return', '--flush', '--command', command, '/dev/null'], {
    cwd,
    env: { TERM: 'xterm', ...env },
    stdin: 'keep-open',
  })
}

/** What a terminal shows of an output in the end: each line as it was last rewritten. */
function finalLines(output: string): readonly string[] {
  return output.split(/\r?\n/).map((line) => {
    const last = line.split('\u001b[K').at(-1) ?? ''
    return stripVTControlCharacters(last.slice(last.lastIndexOf('\r') + 1))
  })
}

const LONG_RUN = Array.from({ length: 40 }, () => 64 * MEBIBYTE)

describe.skipIf(!hasProgram('script'))('on a terminal (needs script of util-linux)', () => {
  test('a long run shows its progress in one line that is gone in the end', async () => {
    const { outcome } = startOnTerminal(makeSlowMachine(LONG_RUN), 'scan policy.json --no-diff')
    const { code, stdout } = await outcome
    expect(code).toBe(2)
    const drawn = stdout.split('\u001b[K').flatMap((text) => /\r(\d+\/40 resources, .*)$/.exec(text)?.[1] ?? [])
    expect(drawn.length).toBeGreaterThan(0)
    for (const line of drawn) expect(line.length).toBeLessThan(60)
    expect(finalLines(stdout).filter((line) => line.includes('/40 resources'))).toEqual([])
    expect(finalLines(stdout)[0]).toMatch(/^Audit of /)
  })

  test('there is no progress in CI', async () => {
    const { outcome } = startOnTerminal(makeSlowMachine(LONG_RUN), 'scan policy.json', { CI: 'true' })
    expect((await outcome).stdout).not.toContain('/40 resources')
  })

  test.each([
    [{}, true],
    [{ NO_COLOR: '1' }, false],
    [{ TERM: 'dumb' }, false],
  ])('with %j colour is %s', async (env, inColor) => {
    const { outcome } = startOnTerminal(makeSlowMachine([1]), 'scan policy.json', env)
    expect((await outcome).stdout.includes('\u001b[3')).toBe(inColor)
  })

  test('Ctrl-C ends a running scan with its reports', async () => {
    const cwd = makeSlowMachine(LONG_RUN)
    const running = startOnTerminal(cwd, 'scan policy.json --report json=report.json')
    await running.said('/40 resources')
    running.child.stdin?.write(CTRL_C)
    expect((await running.outcome).code).toBe(130)
    const report = JSON.parse(readFileSync(join(cwd, 'report.json'), 'utf8'))
    expect(report.run.interrupted).toBe(true)
    expect(report.exit.code).toBe(130)
    expect(report.summary.total).toBeGreaterThan(0)
    expect(report.summary.total).toBeLessThan(40)
  })

  test('SIGTERM does the same with its own exit code', async () => {
    const cwd = makeSlowMachine(LONG_RUN)
    const running = startOnTerminal(cwd, 'scan policy.json --out')
    await running.said('/40 resources')
    process.kill(Number(readFileSync(join(cwd, 'pid'), 'utf8')), 'SIGTERM')
    expect((await running.outcome).code).toBe(143)
    expect(JSON.parse(readFileSync(join(cwd, 'reports/drift.json'), 'utf8')).run.interrupted).toBe(true)
    expect(readdirSync(join(cwd, 'reports')).toSorted()).toEqual(['drift.json', 'junit.xml'])
  })

  test('a second Ctrl-C ends it at once and leaves no unfinished report', async () => {
    // Reading this file takes longer than any test may.
    const cwd = makeSlowMachine([1024 * 1024 * MEBIBYTE])
    const running = startOnTerminal(cwd, 'scan policy.json --out')
    await running.said('0/1 resources')
    running.child.stdin?.write(CTRL_C)
    await running.said('once more ends at once')
    running.child.stdin?.write(CTRL_C)
    expect((await running.outcome).code).toBe(130)
    // The first one ends the reading of the file, so the reports may be complete by then; nothing is ever there in part.
    const files = readdirSync(join(cwd, 'reports'))
    expect([[], ['drift.json', 'junit.xml']]).toContainEqual(files.toSorted())
    for (const file of files) expect(readFileSync(join(cwd, 'reports', file), 'utf8')).toMatch(/[}>]\n$/)
  })
})
