import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

/** The built command line, the file that is installed as `driftgate`. */
export const DRIFTGATE: string = fileURLToPath(new URL('../../dist/bin/driftgate.js', import.meta.url))

if (!existsSync(DRIFTGATE)) throw new Error(`${DRIFTGATE} is missing: run "npm run build" first`)

/** How a child process is started. */
export interface StartOptions {
  readonly cwd: string
  /** Added to an environment that holds nothing but PATH and an empty HOME. */
  readonly env?: Readonly<Record<string, string>>
  readonly stdin?: string
}

/** What a child process has done. `code` is null if a signal ended it. */
export interface Outcome {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

/** A child process that is running. */
export interface Running {
  readonly child: ChildProcess
  readonly outcome: Promise<Outcome>
  /** Resolves with all of standard error as soon as it contains the text; rejects if the process ends before that. */
  readonly said: (text: string) => Promise<string>
}

/** Runs `driftgate` to its end. */
export function driftgate(args: readonly string[], options: StartOptions): Promise<Outcome> {
  return start(process.execPath, [DRIFTGATE, ...args], options).outcome
}

/** Starts any program with captured output. It is killed with the test if it still runs then. */
export function start(command: string, args: readonly string[], options: StartOptions): Running {
  const { cwd, env = {}, stdin } = options
  const child = spawn(command, args, {
    cwd,
    env: { PATH: process.env['PATH'], HOME: cwd, ...env },
    stdio: [stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let stdout = ''
  let stderr = ''
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (stdout += text))
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  child.stdin?.end(stdin)
  const outcome = new Promise<Outcome>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => resolve({ code, signal, stdout, stderr }))
  })
  const said = (text: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        if (stderr.includes(text)) resolve(stderr)
      }
      child.stderr?.on('data', look)
      child.once('close', () => reject(new Error(`ended without saying "${text}": ${stderr}`)))
      look()
    })
  return { child, outcome, said }
}

/** A directory that is removed with the test. */
export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'driftgate-e2e-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

/** Writes a policy of file resources as a JSON policy, which is YAML too; each entry is `[name, properties]`. */
export function writePolicy(
  path: string,
  files: readonly (readonly [name: string, properties: Readonly<Record<string, unknown>>])[],
  policy: Readonly<Record<string, unknown>> = {},
): string {
  const resources = files.map(([name, properties]) => ({ file: { name, ...properties } }))
  writeFileSync(path, JSON.stringify({ policy, ccm: { resources } }))
  return path
}
