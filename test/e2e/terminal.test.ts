import { existsSync, readFileSync, readdirSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { stripVTControlCharacters } from 'node:util'
import { describe, expect, test } from 'vitest'
import {
  ownFile,
  PROGRAM,
  type Running,
  start,
  temporaryDirectory,
  UNPRIVILEGED,
  writePolicy,
} from '../support/driftgate.ts'
import { needsTerminal } from '../support/programs.ts'
import { needsMachineId } from '../support/identified.ts'

const CTRL_C = '\u0003'
const CTRL_D = '\u0004'

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

/** A directory with a policy of 40 commands, each of which waits for a moment and tells of drift. */
function makeWaitingMachine(): string {
  const directory = temporaryDirectory()
  const commands = Array.from({ length: 40 }, (_, index) => ({
    [`look ${index}`]: { command: '/bin/true', unless: 'sleep 0.05; false', provider: 'shell' },
  }))
  writeFileSync(join(directory, 'policy.json'), JSON.stringify({ ccm: { resources: [{ exec: commands }] } }))
  return directory
}

/** Starts driftgate on a pseudo-terminal. Its process number is in the file `pid`. */
function startOnTerminal(cwd: string, args: string, env: Readonly<Record<string, string>> = {}, uid?: number): Running {
  const command = `sh -c 'stty cols 60; echo $$ > pid; exec ${PROGRAM.join(' ')} ${args}'`
  return start('script', ['--quiet', '--return', '--flush', '--command', command, '/dev/null'], {
    cwd,
    env: { TERM: 'xterm', ...env },
    stdin: 'keep-open',
    ...(uid === undefined ? {} : { uid }),
  })
}

/** What a terminal shows of an output in the end: each line as it was last rewritten. */
function finalLines(output: string): readonly string[] {
  return output.split(/\r?\n/).map((line) => {
    const last = line.split('\u001b[K').at(-1) ?? ''
    return stripVTControlCharacters(last.slice(last.lastIndexOf('\r') + 1))
  })
}

const NAMES = ['one', 'two', 'three']

/** Starts driftgate with a policy of three files that are not there, with a state of its own, so that no other fix is in the way. */
function startAsking(args: string): { readonly home: string; readonly running: Running } {
  const home = temporaryDirectory(UNPRIVILEGED)
  writePolicy(
    join(home, 'policy.json'),
    NAMES.map((name) => ({ name: join(home, name), ...ownFile({ content: 'x' }, UNPRIVILEGED) })),
  )
  return { home, running: startOnTerminal(home, args, { TMPDIR: home, NO_COLOR: '1' }, UNPRIVILEGED) }
}

const LONG_RUN = Array.from({ length: 40 }, () => 64 * MEBIBYTE)

describe.skipIf(needsTerminal())('on a terminal', () => {
  test('a long run shows its progress in one line that is gone in the end', async () => {
    const { outcome } = startOnTerminal(makeWaitingMachine(), 'scan policy.json --no-diff')
    const { code, stdout } = await outcome
    expect(code).toBe(2)
    const drawn = stdout.split('\u001b[K').flatMap((text) => /\r(\d+\/40 resources, .*)$/.exec(text)?.[1] ?? [])
    expect(drawn.length).toBeGreaterThan(0)
    for (const line of drawn) expect(line.length).toBeLessThan(60)
    expect(finalLines(stdout).filter((line) => line.includes('/40 resources'))).toEqual([])
    expect(finalLines(stdout)[0]).toMatch(/^Audit of /)
  })

  describe.each([
    ['each is answered for itself', ['n\n', 'perhaps\nyes\n', 'no\n'], ['two']],
    ['and no more after all', ['no\n', 'a\n'], ['three', 'two']],
    ['and no more after quit', ['y\n', 'q\n'], ['one']],
    ['and the end of the input is to quit', ['y\n', CTRL_D], ['one']],
    ['and what was typed ahead counts', ['n\nn\ny\n'], ['three']],
  ] as const)('a fix asks before each change, %s', (_how, answers, changed) => {
    test('and tells what differs', async () => {
      const { home, running } = startAsking('scan policy.json --fix --ask')
      for (const [index, answer] of answers.entries()) {
        await running.said(`file#${home}/${NAMES[index]}\r\n    ensure: want present`)
        running.child.stdin?.write(answer)
      }
      expect((await running.outcome).code).toBe(changed.length === NAMES.length ? 0 : 2)
      expect(NAMES.filter((name) => existsSync(join(home, name))).toSorted()).toEqual(changed)
    })
  })

  test('Ctrl-C at a question changes nothing more, and the report says that it was interrupted', async () => {
    const { home, running } = startAsking('scan policy.json --fix --ask --report json=fix.json')
    await running.said('[q]uit: ')
    running.child.stdin?.write(CTRL_C)
    expect((await running.outcome).code).toBe(130)
    expect(NAMES.filter((name) => existsSync(join(home, name)))).toEqual([])
    expect(JSON.parse(readFileSync(join(home, 'fix.json'), 'utf8')).run.interrupted).toBe(true)
  })

  test.skipIf(needsMachineId)('a plan holds the changes that were answered with yes', async () => {
    const { home, running } = startAsking('scan policy.json --save-plan plan.json --ask')
    await running.said('[q]uit: ')
    running.child.stdin?.write('n\ny\nn\n')
    expect((await running.outcome).code).toBe(2)
    const { changes } = JSON.parse(readFileSync(join(home, 'plan.json'), 'utf8'))
    expect(changes.map(({ id }: { readonly id: string }) => id)).toEqual([`file#${home}/two`])
  })

  test('there is no progress in CI', async () => {
    const { outcome } = startOnTerminal(makeWaitingMachine(), 'scan policy.json', { CI: 'true' })
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
    await running.said('a second signal stops at once')
    running.child.stdin?.write(CTRL_C)
    expect((await running.outcome).code).toBe(130)
    // The first one ends the reading of the file, so the reports may be complete by then; nothing is ever there in part.
    const files = readdirSync(join(cwd, 'reports'))
    expect([[], ['drift.json', 'junit.xml']]).toContainEqual(files.toSorted())
    for (const file of files) expect(readFileSync(join(cwd, 'reports', file), 'utf8')).toMatch(/[}>]\n$/)
  })
})
