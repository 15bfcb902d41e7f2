import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { runCommand } from '../../../src/target/local/run-command.ts'
import type { Command, CommandOutcome } from '../../../src/target/remediator.ts'

function directory(): string {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'driftgate-run-')))
  onTestFinished(() => rmSync(path, { recursive: true }))
  return path
}

function run(argv: Command['argv'], changes: Partial<Command> = {}): Promise<CommandOutcome> {
  const signal = new AbortController().signal
  return runCommand({ argv, workingDirectory: directory(), timeoutMs: 60_000, signal, ...changes })
}

/** What has ended but was not yet collected by its parent is dead too. */
function isAlive(pid: number): boolean {
  try {
    return !/^State:\s*Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ESRCH')) return false
    throw error
  }
}

test('what a command wrote and how it ended', async () => {
  expect(await run(['sh', '-c', 'echo out; echo err >&2; exit 3'])).toEqual({
    kind: 'exited',
    exitCode: 3,
    output: expect.stringMatching(/^(out\nerr|err\nout)\n$/),
  })
})

test('arguments arrive as they are, and there is no input', async () => {
  const words = ['a b', '$HOME', '*', '"', '', '-n']
  const outcome = await run(['sh', '-c', 'cat; printf "[%s]" "$@"', 'sh', ...words])
  expect(outcome).toMatchObject({ output: words.map((word) => `[${word}]`).join('') })
})

test('it runs in its directory', async () => {
  const workingDirectory = directory()
  expect(await run(['pwd'], { workingDirectory })).toMatchObject({ output: `${workingDirectory}\n` })
})

test.each<[string, Command['argv'], Partial<Command>, RegExp]>([
  ['a program', ['/no/such/program'], {}, /^cannot run \/no\/such\/program in .*: no such file or directory$/],
  ['a directory', ['true'], { workingDirectory: '/no/such/directory' }, /no such file or directory/],
  ['a word with NUL', ['true', 'a\0b'], {}, /^cannot run true/],
  ['an interrupted run', ['true'], { signal: AbortSignal.abort() }, /interrupted/],
])('what cannot be started: %s', async (_name, argv, changes, message) => {
  expect(await run(argv, changes)).toEqual({ kind: 'not-started', message: expect.stringMatching(message) })
})

test('a timeout kills the command and what it started', async () => {
  const outcome = await run(['sh', '-c', 'sleep 600 & echo $!; wait'], { timeoutMs: 300 })
  expect(outcome).toMatchObject({ kind: 'killed', reason: 'no end after 0.3 seconds' })
  expect(isAlive(Number(outcome.kind === 'killed' ? outcome.output : 'none'))).toBe(false)
})

test('an interrupted run kills it too', async () => {
  const controller = new AbortController()
  const running = run(['sleep', '600'], { signal: controller.signal })
  controller.abort()
  expect(await running).toMatchObject({ kind: 'killed', reason: 'the run was interrupted' })
})

test('a command that is killed by a signal did not exit', async () => {
  expect(await run(['sh', '-c', 'kill -TERM $$'])).toMatchObject({ kind: 'killed', reason: 'ended by SIGTERM' })
})

test('what a command leaves running holds nobody up', async () => {
  const outcome = await run(['sh', '-c', 'sleep 600 & echo $!'])
  expect(outcome).toMatchObject({ kind: 'exited', exitCode: 0 })
  const pid = Number(outcome.kind === 'exited' ? outcome.output : 'none')
  expect(isAlive(pid)).toBe(true)
  process.kill(pid, 'SIGKILL')
})

test('only the end of much output is kept', async () => {
  const outcome = await run(['sh', '-c', 'yes | head -c 1000000; echo end'])
  expect(outcome.kind === 'exited' && [outcome.output.length, outcome.output.slice(-4)]).toEqual([64 * 1024, 'end\n'])
})
