import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { closeSync, constants, openSync, readSync, statSync, unlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defined } from '../../model/defined.ts'
import type { Command, CommandOutcome, CommandOutput } from '../command.ts'
import { BoundedOutput } from './bounded-output.ts'
import { endWithUs } from './end-with-us.ts'
import { errorCode, provesAbsence, writeFailure } from './system-error.ts'

const FLAGS = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW | constants.O_APPEND
const CHUNK_BYTES = 64 * 1024

/** Output of a program that outlives this process: a pipe without a reader would kill it. */
interface KeptOutput {
  readonly fd: number
  /** Returns the output in chunks, and closes the file. */
  readonly take: (add: (chunk: Buffer) => void) => void
}

/** How long to wait for output after the command ended, if a child holds it open, in milliseconds. */
const OUTPUT_GRACE_MS = 500

/** Grace period of a command that is terminated, in milliseconds. */
const CLEANUP_GRACE_MS = 2000

/** The longest timeout of Node, about 25 days, in milliseconds. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/**
 * Runs a command in its own process group, without a shell or input. At its timeout or an interruption, the group gets
 * SIGTERM and soon SIGKILL. Never rejects because of the command.
 */
export function runCommand(command: Command): Promise<CommandOutcome> {
  if (command.signal.aborted) return Promise.resolve(notStarted(command, 'the run was interrupted'))
  let child: ChildProcess
  const kept = command.outlivesUs === true ? ([openKeptOutput(), openKeptOutput()] as const) : undefined
  try {
    child = start(command, kept)
  } catch (error) {
    kept?.forEach(({ take }) => take(() => undefined))
    return Promise.resolve(notStarted(command, error))
  }
  return untilEnd(child, command, kept)
}

/** Standard output and standard error of a command that outlives this process. */
type Kept = readonly [KeptOutput, KeptOutput] | undefined

/** Throws for invalid arguments, such as a NUL character; other errors are events of the process. */
function start({ argv: [program, ...args], workingDirectory, environment, user }: Command, kept: Kept): ChildProcess {
  return spawn(program, args, {
    cwd: workingDirectory,
    detached: true,
    stdio: ['ignore', kept?.[0].fd ?? 'pipe', kept?.[1].fd ?? 'pipe'],
    ...defined({ env: environment, ...user }),
  })
}

interface Ending {
  readonly cause: 'timeout' | 'interruption'
  readonly reason: string
}

function untilEnd(child: ChildProcess, command: Command, kept: Kept): Promise<CommandOutcome> {
  const letGo = command.outlivesUs === true ? () => undefined : endWithUs(() => signalGroup(child, 'SIGKILL'))
  return new Promise((resolve, reject) => {
    const output = collectOutput(child, command.maxOutputBytes, kept)
    const watch = watchOver(child, command)
    child.once('error', (error) => {
      // A process that was not started has no pid; later errors come from killing an ended process.
      if (child.pid !== undefined) return
      watch.stop()
      letGo()
      output()
      if (errorCode(error) === undefined) reject(error)
      else resolve(notStarted(command, error))
    })
    child.once('exit', () => {
      watch.stop()
      letGo()
      if (watch.ending() !== undefined) signalGroup(child, 'SIGKILL')
      setTimeout(() => dropOutput(child), OUTPUT_GRACE_MS).unref()
    })
    child.once('close', (exitCode, signal) => {
      const ending = watch.ending()
      if (ending !== undefined) resolve({ kind: 'killed', ...ending, ...output() })
      else if (exitCode !== null) resolve({ kind: 'exited', exitCode, ...output() })
      else resolve({ kind: 'killed', cause: 'signal', reason: `ended by ${signal ?? 'a signal'}`, ...output() })
    })
  })
}

interface Watch {
  /** Why the command was terminated, if so. */
  readonly ending: () => Ending | undefined
  readonly stop: () => void
}

/** Terminates the command at its timeout or when the run is interrupted. */
function watchOver(child: ChildProcess, { timeoutMs, signal }: Command): Watch {
  let ending: Ending | undefined
  let timer: NodeJS.Timeout | undefined
  const end = (because: Ending): void => {
    if (ending !== undefined) return
    ending = because
    signalGroup(child, 'SIGTERM')
    clearTimeout(timer)
    timer = setTimeout(() => signalGroup(child, 'SIGKILL'), CLEANUP_GRACE_MS)
  }
  const interrupt = (): void => end({ cause: 'interruption', reason: 'the run was interrupted' })
  if (timeoutMs !== undefined) {
    const reason = `timed out after ${timeoutMs / 1000} seconds`
    timer = setTimeout(() => end({ cause: 'timeout', reason }), Math.min(timeoutMs, LONGEST_TIMER_MS))
  }
  signal.addEventListener('abort', interrupt, { once: true })
  return {
    ending: () => ending,
    stop() {
      clearTimeout(timer)
      signal.removeEventListener('abort', interrupt)
    },
  }
}

function notStarted(command: Command, cause: unknown): CommandOutcome {
  const attempt = `cannot run ${command.argv[0]} in ${command.workingDirectory}`
  const reason = typeof cause === 'string' ? cause : explainStart(command, cause)
  return {
    kind: 'not-started',
    message: reason === undefined ? writeFailure(cause, attempt).message : `${attempt}: ${reason}`,
  }
}

/** Explains an ENOENT: the working directory, the program, or its interpreter is missing. */
function explainStart({ argv: [program], workingDirectory, environment }: Command, error: unknown): string | undefined {
  if (program === '') return 'the program has no name'
  if (errorCode(error) === 'ERR_INVALID_ARG_VALUE') return 'an argument contains a NUL character'
  if (!provesAbsence(error)) return undefined
  if (!isDirectory(workingDirectory)) return `the directory ${workingDirectory} does not exist`
  if (program.includes('/')) return undefined
  const path = (environment ?? process.env)['PATH']
  return `program not found${path === undefined ? '' : ` in ${path}`}`
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch (error) {
    if (provesAbsence(error)) return false
    // Possibly a directory: it exists, but is inaccessible.
    return true
  }
}

function signalGroup({ pid }: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, signal)
  } catch (error) {
    // All of it has just ended, or the rest runs as another user.
    if (errorCode(error) !== 'ESRCH' && errorCode(error) !== 'EPERM') throw error
  }
}

function collectOutput(
  { stdout, stderr }: ChildProcess,
  maxBytes: number | undefined,
  files: Kept,
): () => CommandOutput {
  const bounded = (): BoundedOutput => new BoundedOutput(maxBytes)
  const kept = { stdout: bounded(), stderr: bounded(), output: bounded() }
  const keepFor = (own: BoundedOutput) => (chunk: Buffer) => {
    own.add(chunk)
    kept.output.add(chunk)
  }
  stdout?.on('data', keepFor(kept.stdout))
  stderr?.on('data', keepFor(kept.stderr))
  return () => {
    files?.[0].take(keepFor(kept.stdout))
    files?.[1].take(keepFor(kept.stderr))
    return { stdout: kept.stdout.text(), stderr: kept.stderr.text(), output: kept.output.text() }
  }
}

function dropOutput({ stdout, stderr }: ChildProcess): void {
  stdout?.destroy()
  stderr?.destroy()
}

/** Opens an unlinked file, which the system removes after the last process closes it. */
function openKeptOutput(): KeptOutput {
  const path = join(tmpdir(), `driftgate-${randomBytes(8).toString('hex')}`)
  const fd = openSync(path, FLAGS, 0o600)
  unlinkSync(path)
  return {
    fd,
    take(add) {
      for (let position = 0; ;) {
        const chunk = Buffer.allocUnsafe(CHUNK_BYTES)
        const length = readSync(fd, chunk, 0, CHUNK_BYTES, position)
        if (length === 0) break
        add(chunk.subarray(0, length))
        position += length
      }
      closeSync(fd)
    },
  }
}
