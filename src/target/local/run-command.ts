import { type ChildProcess, spawn } from 'node:child_process'
import type { Command, CommandOutcome } from '../remediator.ts'
import { errorCode, writeFailure } from './system-error.ts'

/** How much of what a command writes is kept: its end, where the reason of a failure stands. */
const MAX_OUTPUT_BYTES = 64 * 1024

/** How long output is awaited that a child left behind by the command may still hold open, in milliseconds. */
const OUTPUT_GRACE_MS = 500

/**
 * Runs a command in a process group of its own, without a shell and without input. At its timeout, or when the run is
 * interrupted, the whole group is killed. Never rejects for anything the command does.
 */
export function runCommand(command: Command): Promise<CommandOutcome> {
  if (command.signal.aborted) return Promise.resolve(notStarted(command, 'the run was interrupted'))
  let child: ChildProcess
  try {
    child = start(command)
  } catch (error) {
    return Promise.resolve(notStarted(command, error))
  }
  return untilEnd(child, command)
}

/** Throws for what no command can hold, such as a NUL character; other trouble is an event of the process. */
function start({ argv: [program, ...args], workingDirectory }: Command): ChildProcess {
  return spawn(program, args, { cwd: workingDirectory, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
}

function untilEnd(child: ChildProcess, command: Command): Promise<CommandOutcome> {
  return new Promise((resolve, reject) => {
    const output = collectOutput(child)
    let reason: string | undefined
    const kill = (because: string): void => {
      reason ??= because
      killGroup(child)
    }
    const interrupt = (): void => kill('the run was interrupted')
    const timer = setTimeout(() => kill(`no end after ${command.timeoutMs / 1000} seconds`), command.timeoutMs)
    command.signal.addEventListener('abort', interrupt, { once: true })
    const settle = (): void => {
      clearTimeout(timer)
      command.signal.removeEventListener('abort', interrupt)
    }
    child.once('error', (error) => {
      // What cannot be started has no process id; later errors come from killing what has just ended.
      if (child.pid !== undefined) return
      settle()
      if (errorCode(error) === undefined) reject(error)
      else resolve(notStarted(command, error))
    })
    child.once('exit', () => setTimeout(() => dropOutput(child), OUTPUT_GRACE_MS).unref())
    child.once('close', (exitCode, signal) => {
      settle()
      if (exitCode !== null && reason === undefined) resolve({ kind: 'exited', exitCode, output: output() })
      else resolve({ kind: 'killed', reason: reason ?? `ended by ${signal ?? 'a signal'}`, output: output() })
    })
  })
}

function notStarted({ argv, workingDirectory }: Command, cause: unknown): CommandOutcome {
  const attempt = `cannot run ${argv[0]} in ${workingDirectory}`
  if (typeof cause === 'string') return { kind: 'not-started', message: `${attempt}: ${cause}` }
  return { kind: 'not-started', message: writeFailure(cause, attempt).message }
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch (error) {
    // It has just ended by itself.
    if (errorCode(error) !== 'ESRCH') throw error
  }
}

function collectOutput({ stdout, stderr }: ChildProcess): () => string {
  let kept = Buffer.alloc(0)
  const keep = (chunk: Buffer): void => {
    kept = Buffer.concat([kept, chunk]).subarray(-MAX_OUTPUT_BYTES)
  }
  stdout?.on('data', keep)
  stderr?.on('data', keep)
  return () => kept.toString('utf8')
}

function dropOutput({ stdout, stderr }: ChildProcess): void {
  stdout?.destroy()
  stderr?.destroy()
}
