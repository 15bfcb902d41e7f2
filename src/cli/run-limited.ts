import { type ChildProcess, spawn } from 'node:child_process'
import { constants } from 'node:os'
import process from 'node:process'
import { EXIT } from '../model/gate.ts'
import { BURIAL_MS, type ChildEnd, endChild, endOf, raceWith } from '../host/live/child-end.ts'
import { killTree } from '../host/live/kill-tree.ts'
import type { Limits } from './command.ts'
import type { Io } from './output/io.ts'
import { LIMITED_VARIABLE, programWith } from './program.ts'

/** Forwarded signals. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Signal by which V8 aborts a process without memory. */
const OUT_OF_MEMORY = 'SIGABRT'

/**
 * Runs a command line in a child process with the same channels and returns its exit code. Beyond a limit the child is
 * killed, with a message and the exit code for "not performed". Signals are forwarded.
 */
export async function runLimited(args: readonly string[], limits: Limits, io: Io): Promise<number> {
  const { command, env } = programWith(`--max-old-space-size=${limits.memoryMib}`, process.env)
  const [program, ...before] = command
  // Its own process group, so that terminal signals reach only this process and are not delivered twice.
  const child = spawn(program, [...before, ...args], {
    detached: true,
    stdio: 'inherit',
    env: { ...env, [LIMITED_VARIABLE]: '1' },
  })
  const killWithUs = (): void => killTree(child)
  process.once('exit', killWithUs)
  const end = endOf(child)
  const release = passSignals(child)
  try {
    if ((await raceWith(end, limits.timeoutMs)) === 'ended') return exitCodeOf(await end, limits, io)
    if (!(await endChild(child, end, limits.timeoutMs))) child.unref()
    io.say(describeExceeded(`took longer than ${limits.timeoutMs / 1000} seconds`, '--untrusted-timeout DURATION'))
    return EXIT.notPerformed
  } finally {
    release()
    process.off('exit', killWithUs)
  }
}

function exitCodeOf(end: ChildEnd, { memoryMib }: Limits, io: Io): number {
  switch (end.kind) {
    case 'exited':
      return end.exitCode
    case 'not-started':
      io.say(`driftgate: cannot start the process for untrusted policies: ${end.reason}\n`)
      return EXIT.notPerformed
    case 'killed': {
      const { signal } = end
      if (SIGNALS.some((name) => name === signal)) return 128 + constants.signals[signal]
      io.say(
        signal === OUT_OF_MEMORY
          ? describeExceeded(`needed more than ${memoryMib} MiB of memory`, '--untrusted-memory MIB')
          : `driftgate: the process for untrusted policies was killed by ${signal}\n`,
      )
      return EXIT.notPerformed
    }
  }
}

function describeExceeded(what: string, option: string): string {
  return `driftgate: untrusted policies ${what} and were stopped; raise the limit with ${option}\n`
}

/** Forwards signals; kills the child if it survives the second one. */
function passSignals(child: ChildProcess): () => void {
  let count = 0
  const pass = (name: NodeJS.Signals): void => {
    child.kill(name)
    if (++count === 2) setTimeout(() => killTree(child), BURIAL_MS).unref()
  }
  for (const name of SIGNALS) process.on(name, pass)
  return () => {
    for (const name of SIGNALS) process.off(name, pass)
  }
}
