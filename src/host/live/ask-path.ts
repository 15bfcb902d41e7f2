import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import process from 'node:process'
import { errorCode } from './system-error.ts'
import { findSystemProgram, SYSTEM_PATH } from './system-programs.ts'

/** How long one may take to say anything about a path, in milliseconds. */
const DEADLINE_MS = 10_000

const LONGEST_PAUSE_MS = 50

/** All that is ever asked of a file system. A pipe or device is never opened, and of a directory one entry is read. */
const QUESTIONS = `
stat -L -- "$1"
stat -f -- "$1"
if [ -f "$1" ]; then head -c 1 -- "$1"
elif [ -d "$1" ]; then find "$1/" -mindepth 1 -maxdepth 1 -print -quit
fi`

/** What came of asking: something was said, nothing was, or somebody did not want to wait for it. */
export type Answer = 'answered' | 'silent' | 'interrupted'

/**
 * Has a child process look at a path, open it and read of it, whatever is found. A call that hangs in the system is ended
 * by nothing, SIGKILL included, and holds up the end of its process; so a child without an answer is left alone.
 */
export function askPath(path: string, signal: AbortSignal): Promise<Answer> {
  const child = startAsking(path)
  if (child === undefined) return Promise.resolve('answered')
  return new Promise((resolve) => {
    const end = (answer: Answer): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', giveUp)
      if (answer !== 'answered') child.kill('SIGKILL')
      resolve(answer)
    }
    const giveUp = (): void => end('interrupted')
    const timer = setTimeout(() => end('silent'), DEADLINE_MS)
    signal.addEventListener('abort', giveUp)
    child.once('error', () => end('answered'))
    child.once('exit', () => end('answered'))
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
      if (hasEnded(pid)) return 'answered'
      sleep(pause)
    }
    child.kill('SIGKILL')
    return 'silent'
  })
}

function startAsking(path: string): ChildProcess | undefined {
  const shell = findSystemProgram('sh')
  if (shell === undefined) return undefined
  // It must hold nothing of ours: whoever reads our output would wait for the end of a process that has none.
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

/** Whether a child has come to its end, of which its exit event tells only when nothing else is done. */
function hasEnded(pid: number): boolean {
  try {
    // The state stands behind the name, which may hold anything. @see proc_pid_stat(5)
    return /\) [ZX] [^)]*$/.test(readFileSync(`/proc/${pid}/stat`, 'latin1'))
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    return true
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
