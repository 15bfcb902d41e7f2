import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import process from 'node:process'
import { errorCode } from './system-error.ts'
import { findSystemProgram, SYSTEM_PATH } from './system-programs.ts'

/** How long one may take to say anything about a path, in milliseconds. */
const DEADLINE_MS = 10_000

const LONGEST_PAUSE_MS = 50

/** How the questions end where every attempt was interrupted; Node would repeat such a call for ever. */
const EXIT_INTERRUPTED = 4

/** All that is ever asked of a file system. A pipe or device is never opened, and of a directory one entry is read. */
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

/** What came of asking: something was said, nothing was, each call was interrupted, or the caller did not want to wait. */
export type Answer = 'answered' | 'silent' | 'interrupts' | 'interrupted'

/**
 * Has a child process look at a path, open it and read of it. A call that hangs in the system is ended
 * by nothing, SIGKILL included, and holds up the end of its process; so a child without an answer is left alone.
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

/** The same for callers that cannot wait for a promise, such as templates. A signal ends this process meanwhile. */
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
  // It must hold nothing of ours: the reader of our output would wait for a process that never ends.
  const child = spawn(shell, ['-c', QUESTIONS, 'sh', path], {
    cwd: '/',
    detached: true,
    env: { PATH: SYSTEM_PATH },
    stdio: 'ignore',
  })
  child.unref()
  // Not being able to ask is no answer of the file system.
  child.once('error', () => undefined)
  return child
}

function answerOf(exitCode: number | null): Answer {
  return exitCode === EXIT_INTERRUPTED ? 'interrupts' : 'answered'
}

/** How a child has ended, of which its exit event tells only when nothing else is done; undefined while it runs. */
function exitCode(pid: number): number | null | undefined {
  try {
    // The state is the first field behind the name, which may hold anything; the wait status is the last. @see proc_pid_stat(5)
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

/** While nothing else is done no signal would be listened to; so each does what it does to any process: it ends it. */
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
