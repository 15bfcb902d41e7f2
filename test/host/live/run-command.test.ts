import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Command, CommandOutcome } from '../../../src/host/command.ts'
import { runCommand } from '../../../src/host/live/run-command.ts'
import { hasEnded, isAlive } from '../../support/alive.ts'
import { bundle } from '../../support/bundle.ts'

function directory(): string {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'driftgate-run-')))
  onTestFinished(() => rmSync(path, { recursive: true }))
  return path
}

function run(argv: Command['argv'], changes: Partial<Command> = {}): Promise<CommandOutcome> {
  const signal = new AbortController().signal
  return runCommand({ argv, workingDirectory: directory(), timeoutMs: 60_000, signal, ...changes })
}

function processId(outcome: CommandOutcome): number {
  return Number(outcome.kind === 'not-started' ? Number.NaN : outcome.stdout)
}

test('returns the output and the exit code of a command', async () => {
  expect(await run(['sh', '-c', 'echo out; echo err >&2; exit 3'])).toEqual({
    kind: 'exited',
    exitCode: 3,
    stdout: 'out\n',
    stderr: 'err\n',
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

test('it sees the variables of its environment and no others, and is looked up in that PATH', async () => {
  const bin = directory()
  writeFileSync(join(bin, 'tool'), '#!/bin/sh\n/usr/bin/env\n', { mode: 0o755 })
  const environment = { PATH: `/no/such/directory:${bin}`, GREETING: 'hello = world' }
  const outcome = await run(['tool'], { environment })
  expect(
    outcome.kind === 'exited' && outcome.stdout.split('\n').filter((line) => !/^(PWD|SHLVL|_)=/.test(line)),
  ).toEqual(expect.arrayContaining(['GREETING=hello = world', `PATH=${environment.PATH}`, '']))
  expect(outcome.kind === 'exited' && outcome.stdout).not.toContain('HOME=')
})

test('without a PATH of its own it sees the variables of this process', async () => {
  expect(await run(['sh', '-c', 'echo "$PATH"'])).toMatchObject({ stdout: `${process.env['PATH']}\n` })
})

test.each<[string, Command['argv'], Partial<Command>, RegExp]>([
  ['a program', ['/no/such/program'], {}, /^cannot run \/no\/such\/program in .*: no such file or directory$/],
  ['a name', ['no-such'], { environment: { PATH: '/bin:/x' } }, /: program not found in \/bin:\/x$/],
  ['an empty name', [''], {}, /: the program has no name$/],
  ['a file that is not executable', ['/etc/passwd'], {}, /^cannot run \/etc\/passwd in .*: permission denied/],
  ['a directory as the program', ['/etc'], {}, /: permission denied/],
  ['a directory', ['true'], { workingDirectory: '/no/such' }, /: the directory \/no\/such does not exist$/],
  [
    'a file as the directory',
    ['true'],
    { workingDirectory: '/etc/passwd' },
    /the directory \/etc\/passwd does not exist/,
  ],
  ['a word with NUL', ['true', 'a\0b'], {}, /^cannot run true in .*: an argument contains a NUL character$/],
  ['an interrupted run', ['true'], { signal: AbortSignal.abort() }, /interrupted/],
])('reports why it cannot start %s', async (_name, argv, changes, message) => {
  expect(await run(argv, changes)).toEqual({ kind: 'not-started', message: expect.stringMatching(message) })
})

test('a timeout kills the command and what it started', async () => {
  const outcome = await run(['sh', '-c', 'sh -c "sleep 600 & echo \\$!; wait" & wait'], { timeoutMs: 1500 })
  expect(outcome).toMatchObject({ kind: 'killed', cause: 'timeout', reason: 'timed out after 1.5 seconds' })
  expect(await hasEnded(processId(outcome))).toBe(true)
})

test('a command that does not want to end is killed', async () => {
  const outcome = await run(['sh', '-c', 'trap "" TERM; sleep 600 & echo $!; wait; wait'], { timeoutMs: 1500 })
  expect(outcome).toMatchObject({ kind: 'killed', cause: 'timeout' })
  expect(await hasEnded(processId(outcome))).toBe(true)
})

test('a command may clean up when it has to end, and is killed all the same', async () => {
  const outcome = await run(['sh', '-c', 'trap "echo bye; exit 0" TERM; while :; do sleep 0.05; done'], {
    timeoutMs: 1500,
  })
  expect(outcome).toMatchObject({ kind: 'killed', cause: 'timeout', stdout: 'bye\n' })
})

test('a timeout longer than a timer can measure does not fire at once', async () => {
  expect(await run(['sh', '-c', 'sleep 0.1'], { timeoutMs: 2 ** 40 })).toMatchObject({ kind: 'exited' })
})

test('without a timeout it may take its time', async () => {
  const { signal } = new AbortController()
  expect(await runCommand({ argv: ['true'], workingDirectory: '/', signal })).toMatchObject({ kind: 'exited' })
})

test('an interrupted run kills it too', async () => {
  const controller = new AbortController()
  const running = run(['sleep', '600'], { signal: controller.signal })
  controller.abort()
  expect(await running).toMatchObject({ kind: 'killed', cause: 'interruption', reason: 'the run was interrupted' })
})

test('a command that is killed by a signal did not exit', async () => {
  const outcome = await run(['sh', '-c', 'kill -TERM $$'])
  expect(outcome).toMatchObject({ kind: 'killed', cause: 'signal', reason: 'ended by SIGTERM' })
})

test('a process left running in the background does not delay the result', async () => {
  const outcome = await run(['sh', '-c', 'sleep 600 & echo $!'])
  expect(outcome).toMatchObject({ kind: 'exited', exitCode: 0 })
  const pid = processId(outcome)
  expect(isAlive(pid)).toBe(true)
  process.kill(pid, 'SIGKILL')
})

test('the beginning and the end of much output are kept', async () => {
  const outcome = await run(['sh', '-c', 'echo start; yes | head -c 1000000; echo end; echo error >&2'])
  const kept = `start\n${'y\n'.repeat(16 * 1024 - 3)}`
  expect(outcome).toMatchObject({
    stdout: `${kept}[934476 bytes left out]\n${'y\n'.repeat(16 * 1024 - 3)}end\n`,
    stderr: 'error\n',
  })
})

// @see https://peps.python.org/pep-0383/: each byte that is not UTF-8 is a character of its own, so that it equals only itself.
test('bytes that are not UTF-8 are kept apart', async () => {
  expect(await run(['sh', '-c', String.raw`printf 'a\377\303\244\342\202'`])).toMatchObject({
    stdout: 'a\udcffä\udce2\udc82',
  })
})

test('a command that may not be torn out of its work goes on when this process ends, and can write', async () => {
  const place = directory()
  execFileSync('mkfifo', [join(place, 'gate')])
  // Ends as at a second signal, with the command in the middle of its work.
  const ending = await bundle(`
    import { existsSync } from 'node:fs'
    import { runCommand } from './src/host/live/run-command.ts'
    const workingDirectory = process.argv[2]
    const argv = ['sh', '-c', 'echo $$ > begun; read line < gate; echo much && echo done > end']
    void runCommand({ argv, workingDirectory, outlivesUs: true, signal: new AbortController().signal })
    const watch = setInterval(() => existsSync(workingDirectory + '/begun') && process.exit(130), 5)`)
  onTestFinished(ending.remove)
  const child = spawn(process.execPath, [ending.file, place], { stdio: 'inherit' })
  expect(await once(child, 'exit')).toEqual([130, null])
  await writeFile(join(place, 'gate'), 'go on\n')
  const pid = readFileSync(join(place, 'begun'), 'utf8').trim()
  expect(await hasEnded(pid)).toBe(true)
  expect(readFileSync(join(place, 'end'), 'utf8')).toBe('done\n')
})

test('the output of such a command is captured like that of any other', async () => {
  const argv = ['sh', '-c', 'echo out; echo trouble >&2; exit 3'] as const
  expect(
    await runCommand({ argv, workingDirectory: '/', outlivesUs: true, signal: new AbortController().signal }),
  ).toEqual({
    kind: 'exited',
    exitCode: 3,
    stdout: 'out\n',
    stderr: 'trouble\n',
    output: 'out\ntrouble\n',
  })
})
