import { type ChildProcess, spawn } from 'node:child_process'
import { constants } from 'node:os'
import process from 'node:process'
import { EXIT } from '../model/gate.ts'
import { BURIAL_MS, type ChildEnd, endChild, endOf, raceWith } from '../host/live/child-end.ts'
import { killTree } from '../host/live/kill-tree.ts'
import type { Limits } from './command.ts'
import type { Io } from './output/io.ts'
import { LIMITED_VARIABLE, programWith } from './program.ts'

/** What others send to end the work. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** How V8 ends a process that has no memory left for values. */
const OUT_OF_MEMORY = 'SIGABRT'

/**
 * Runs a command line as a process of its own, with the same channels, and returns its exit code. Past a limit it is ended,
 * with a message which limit that was and the exit code of what could not be performed. Signals are passed on.
 */
export async function runLimited(args: readonly string[], limits: Limits, io: Io): Promise<number> {
  const { command, env } = programWith(`--max-old-space-size=${limits.memoryMib}`, process.env)
  const [program, ...before] = command
  // The leader of a group, so that a terminal's signals come to us alone and are not passed on twice.
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
    io.say(exceeded(`took longer than ${limits.timeoutMs / 1000} seconds`, '--untrusted-timeout DURATION'))
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
      io.say(`driftgate: cannot start a process for policies of others: ${end.reason}\n`)
      return EXIT.notPerformed
    case 'killed': {
      const { signal } = end
      if (SIGNALS.some((name) => name === signal)) return 128 + constants.signals[signal]
      io.say(
        signal === OUT_OF_MEMORY
          ? exceeded(`needed more than ${memoryMib} MiB of memory`, '--untrusted-memory MIB')
          : `driftgate: the process for policies of others was ended by ${signal}\n`,
      )
      return EXIT.notPerformed
    }
  }
}

function exceeded(what: string, option: string): string {
  return `driftgate: policies of others ${what} and were ended; ${option} allows more\n`
}

/** Passes signals on. After the second one nothing may delay the end, so what then does not end is killed. */
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
