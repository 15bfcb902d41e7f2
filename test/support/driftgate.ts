import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { onTestFinished, TestRunner } from 'vitest'
import { endWithTest } from './end-with-test.ts'

/** The built command line, the file that is installed as `driftgate`, or the one with mutants of scripts/mutate.mjs. */
export const DRIFTGATE: string =
  process.env['DRIFTGATE_COMMAND'] ?? fileURLToPath(new URL('../../dist/bin/driftgate.js', import.meta.url))

/** Where processes leave what V8 counted in them, for scripts/coverage-of-cli.mjs. */
const COUNTS = process.env['COVERAGE'] === undefined ? undefined : countsDirectory()

function countsDirectory(): string {
  const directory = fileURLToPath(new URL('../../coverage/cli', import.meta.url))
  mkdirSync(directory, { recursive: true })
  chmodSync(directory, 0o1777) // Some tests run the command as another user.
  return directory
}

/** How a child process is started. */
export interface StartOptions {
  readonly cwd: string
  /** Added to an environment that holds nothing but PATH and an empty HOME. */
  readonly env?: Readonly<Record<string, string>>
  /** What standard input holds; a pipe that stays open with `keep-open`. Nothing where it is absent. */
  readonly stdin?: { readonly text: string } | 'keep-open'
  /** The user to run as; only root may choose. */
  readonly uid?: number
}

/** What a child process has done. `code` is null if a signal ended it. */
export interface Outcome {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

export interface Running {
  readonly child: ChildProcess
  readonly outcome: Promise<Outcome>
  /** Resolves as soon as its output, either channel, contains the text; rejects if the process ends before that. */
  readonly said: (text: string) => Promise<void>
}

/** What a fix says that finds the lock of all fixes taken. */
export const ANOTHER_FIX = 'another fix is running on this machine'

/** The words that start the built command, such that what it runs is counted where that is wanted. */
export const PROGRAM: readonly [string, ...string[]] =
  COUNTS === undefined
    ? [process.execPath, DRIFTGATE]
    : // V8 counts no blocks in compiled code from a cache. A cache that was made with other flags is not used.
      ['/usr/bin/env', `NODE_V8_COVERAGE=${COUNTS}`, process.execPath, '--no-flush-bytecode', DRIFTGATE]

/** The same as a script for a shell, which hands its words on. */
export const PROGRAM_SCRIPT: string = `#!/bin/sh\nexec ${PROGRAM.join(' ')} "$@"\n`

/** Runs `driftgate` to its end. A fix of root, whose lock all tests share, takes its turn; others have one in their HOME. */
export async function driftgate(args: readonly string[], options: StartOptions): Promise<Outcome> {
  const outcome = await startDriftgate(args, options).outcome
  const hasToWait = UNPRIVILEGED !== undefined && options.uid === undefined && outcome.stderr.includes(ANOTHER_FIX)
  return hasToWait ? driftgate(args, options) : outcome
}

/** Starts `driftgate`, for tests that do something while it runs. */
export function startDriftgate(args: readonly string[], options: StartOptions): Running {
  if (!existsSync(DRIFTGATE)) throw new Error(`${DRIFTGATE} is missing: run "npm run build" first`)
  const [program, ...words] = PROGRAM
  return start(program, [...words, ...args], options)
}

/** Starts any program with captured output. It is killed with the test if it still runs then. */
export function start(command: string, args: readonly string[], options: StartOptions): Running {
  const { cwd, env = {}, stdin, uid } = options
  skipInClosedCheckout(uid)
  const child = spawn(command, args, {
    cwd,
    env: { PATH: process.env['PATH'], HOME: cwd, ...env },
    stdio: [stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    ...(uid === undefined ? {} : { uid, gid: uid }),
  })
  endWithTest(child)
  let stdout = ''
  let stderr = ''
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (stdout += text))
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  if (typeof stdin === 'object') child.stdin?.end(stdin.text)
  const outcome = new Promise<Outcome>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => resolve({ code, signal, stdout, stderr }))
  })
  const said = (text: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        if (stdout.includes(text) || stderr.includes(text)) resolve()
      }
      child.stdout?.on('data', look)
      child.stderr?.on('data', look)
      child.once('close', () => reject(new Error(`ended without saying "${text}": ${stdout}${stderr}`)))
      look()
    })
  return { child, outcome, said }
}

/** A user without any rights, where the tests may become one: they need root for that. */
export const UNPRIVILEGED: number | undefined = process.getuid?.() === 0 ? 65_534 : undefined

let isOpen: boolean | undefined

/** A test that becomes another user is skipped where that user cannot reach what was built, as below the home of root. */
function skipInClosedCheckout(uid: number | undefined): void {
  if (uid === undefined || uid === 0) return
  isOpen ??= spawnSync('test', ['-x', dirname(DRIFTGATE)], { uid, gid: uid }).status === 0
  if (!isOpen) TestRunner.getCurrentTest()?.context.skip('needs a checkout that other users can enter')
}

/** A directory that is removed with the test, of that user where one is given. */
export function temporaryDirectory(uid?: number): string {
  skipInClosedCheckout(uid)
  const directory = mkdtempSync(join(tmpdir(), 'driftgate-e2e-'))
  if (uid !== undefined) chownSync(directory, uid, uid)
  onTestFinished(() => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }))
  return directory
}

/** The body of a file resource that this very user, or the one that is named, could own. */
export function ownFile(
  properties: Readonly<Record<string, unknown>>,
  user?: number,
): Readonly<Record<string, unknown>> {
  const { uid, gid } = user === undefined ? userInfo() : { uid: user, gid: user }
  return { ensure: 'present', owner: String(uid), group: String(gid), mode: '0644', ...properties }
}

/** Writes a policy (JSON is YAML too) of file resources, each one its `name` and the other properties. */
export function writePolicy(
  path: string,
  files: readonly Readonly<Record<string, unknown>>[],
  policy: Readonly<Record<string, unknown>> = {},
): string {
  writeFileSync(path, JSON.stringify({ policy, ccm: { resources: files.map((file) => ({ file })) } }))
  return path
}
