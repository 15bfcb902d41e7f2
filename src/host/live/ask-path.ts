import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import process from 'node:process'
import { errorCode } from './system-error.ts'
import { findSystemProgram, SYSTEM_PATH } from './system-programs.ts'

/** Time for a file system to answer, in milliseconds. */
const DEADLINE_MS = 10_000

const LONGEST_PAUSE_MS = 50

/** Exit code if a signal interrupted every attempt; Node would repeat such a call forever. */
const EXIT_INTERRUPTED = 4

/** The operations on the file system. A pipe or device is never opened, and only one entry of a directory is read. */
const QUESTIONS = `
ask() {
  stat -L -- "$1"
  stat -f -- "$1"
  if [ -f "$1" ]; then head -c 1 -- "$1"
  elif [ -d "$1" ]; then find "$1/" -mindepth 1 -maxdepth 1 -print -quit
  fi
}
for attempt in 1 2 3; do
  case $(ask "$1" 2>&1 >/dev/null) in
    *': Interrupted system call'*) ;;
    *) exit 0 ;;
  esac
done
exit ${EXIT_INTERRUPTED}`

/** The result: an answer, no answer in time, interrupted system calls, or an abort of the caller. */
export type Answer = 'answered' | 'silent' | 'interrupts' | 'interrupted'

/**
 * Lets a child process stat, open and read a path. A hung system call cannot be ended, not even by SIGKILL, and keeps
 * its process from ending; therefore a child without an answer is abandoned.
 */
export function askPath(path: string, signal: AbortSignal): Promise<Answer> {
  const child = startAsking(path)
  if (child === undefined) return Promise.resolve('answered')
  return new Promise((resolve) => {
    const end = (answer: Answer): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', giveUp)
      child.kill('SIGKILL')
      resolve(answer)
    }
    const giveUp = (): void => end('interrupted')
    const timer = setTimeout(() => end('silent'), DEADLINE_MS)
    signal.addEventListener('abort', giveUp)
    child.once('error', () => end('answered'))
    child.once('exit', (code) => end(answerOf(code)))
  })
}

/** The synchronous variant, for callers such as templates. Signals end this process meanwhile. */
export function askPathNow(path: string): Answer {
  return withoutListeners(() => {
    const child = startAsking(path)
    if (child?.pid === undefined) return 'answered'
    const { pid } = child
    const deadline = performance.now() + DEADLINE_MS
    for (let pause = 1; performance.now() < deadline; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
      const code = exitCode(pid)
      if (code !== undefined) return answerOf(code)
      sleep(pause)
    }
    child.kill('SIGKILL')
    return 'silent'
  })
}

function startAsking(path: string): ChildProcess | undefined {
  const shell = findSystemProgram('sh')
  if (shell === undefined) return undefined
  // It inherits no descriptors: a reader of this process's output would wait for a child that never ends.
  const child = spawn(shell, ['-c', QUESTIONS, 'sh', path], {
    cwd: '/',
    detached: true,
    env: { PATH: SYSTEM_PATH },
    stdio: 'ignore',
  })
  child.unref()
  // Failure to start the child says nothing about the file system.
  child.once('error', () => undefined)
  return child
}

function answerOf(exitCode: number | null): Answer {
  return exitCode === EXIT_INTERRUPTED ? 'interrupts' : 'answered'
}

/**
 * The exit code of a child; undefined while it runs. Needed because the exit event is not delivered during a
 * synchronous wait.
 */
function exitCode(pid: number): number | null | undefined {
  try {
    // The state is the first field after the name, which may contain any character; the wait status is the last. @see
    // proc_pid_stat(5)
    const [, state = '', status = ''] = /\) (\S) .* (\d+)\s*$/s.exec(readFileSync(`/proc/${pid}/stat`, 'latin1')) ?? []
    return /[ZX]/.test(state) ? Number(status) >> 8 : undefined
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    return null
  }
}

function sleep(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds)
}

/** A synchronous wait blocks signal listeners; without them, signals have their default action and end this process. */
function withoutListeners<T>(wait: () => T): T {
  const taken = (['SIGINT', 'SIGTERM', 'SIGHUP'] as const).flatMap((signal) =>
    process.listeners(signal).map((listener) => ({ signal, listener })),
  )
  for (const { signal, listener } of taken) process.removeListener(signal, listener)
  try {
    return wait()
  } finally {
    for (const { signal, listener } of taken) process.on(signal, listener)
  }
}
