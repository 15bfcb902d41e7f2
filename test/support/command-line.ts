import { EventEmitter } from 'node:events'
import process from 'node:process'
import { Readable } from 'node:stream'
import { expect } from 'vitest'
import { runCommandLine } from '../../src/cli/command-line.ts'
import { createPaint, type Paint, wantsColor } from '../../src/cli/output/color.ts'
import type { Io } from '../../src/cli/output/io.ts'
import { LIMITED_VARIABLE } from '../../src/cli/program.ts'
import { type Clock, systemClock } from '../../src/cli/clock.ts'
import { identifiedMachine } from './identified.ts'
import { ANOTHER_FIX, type Outcome, type StartOptions } from './driftgate.ts'

export interface InProcess {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs a command line in this process and without a build, on channels that are pipes with a reader that reads everything. */
export async function runInProcess(...args: readonly string[]): Promise<InProcess> {
  return runOn({ env: {} }, args)
}

/** The same with variables of the environment, as far as the command line itself reads them. */
export async function runInProcessWith(env: Io['env'], ...args: readonly string[]): Promise<InProcess> {
  return runOn({ env }, args)
}

interface Surroundings extends Pick<InProcessOptions, 'clock' | 'interrupt' | 'stdin'> {
  readonly env: Io['env']
}

async function runOn(
  { env, clock = systemClock, interrupt, stdin }: Surroundings,
  args: readonly string[],
): Promise<InProcess> {
  const printed: string[] = []
  const said: string[] = []
  const signals = new EventEmitter()
  const take = (texts: string[], text: string): void => {
    texts.push(text)
    if (interrupt !== undefined && text.includes(interrupt.after)) signals.emit(interrupt.by)
  }
  const paint = (): Promise<Paint> => createPaint(wantsColor({}, env))
  const io: Io = {
    env,
    print: (text) => Promise.resolve(take(printed, text)),
    isOutputPrivate: () => true,
    outputColumns: () => undefined,
    say: (text) => take(said, text),
    paintOutput: paint,
    paintMessages: paint,
    screen: undefined,
    stdin: Readable.from([Buffer.from(stdin?.text ?? '')]),
    signals: {
      on: (name, listener) => void signals.on(name, listener),
      off: (name, listener) => void signals.off(name, listener),
      endAtOnce: (code) => expect.unreachable(`it was to end at once with ${code}`),
    },
    clock,
    // Some machines have no machine-id, to which plans are bound.
    machine: identifiedMachine(),
  }
  const code = await runCommandLine(args, io)
  return { code, stdout: printed.join(''), stderr: said.join('') }
}

/** What an in-process run may be given: what is a matter of the process needs one. */
export interface InProcessOptions extends Pick<StartOptions, 'cwd' | 'env'> {
  readonly stdin?: { readonly text: string }
  /** That of this machine where it is absent. */
  readonly clock?: Clock
  /** Sends a signal as soon as a text comes out, on either channel. */
  readonly interrupt?: { readonly by: 'SIGINT' | 'SIGTERM'; readonly after: string }
}

/** The run that is under way, and those that wait for it: directory and environment are the process's. */
let last: Promise<unknown> = Promise.resolve()

/**
 * Does in this process what `driftgate` of `driftgate.ts` does in one of its own, for tests of what a command prints or decides.
 * One run at a time.
 */
export function driftgate(args: readonly string[], options: InProcessOptions): Promise<Outcome> {
  const outcome = last.then(() => runWith(args, options))
  last = outcome.catch(() => undefined)
  return outcome
}

async function runWith(
  args: readonly string[],
  { cwd, env = {}, ...surroundings }: InProcessOptions,
): Promise<Outcome> {
  const own = { PATH: process.env['PATH'], HOME: cwd, ...env }
  const giveBack = takeProcess(cwd, own)
  try {
    for (;;) {
      // Limits are those of a process; what stays within them is the same without.
      const outcome = await runOn({ ...surroundings, env: { ...own, [LIMITED_VARIABLE]: '1' } }, args)
      if (!outcome.stderr.includes(ANOTHER_FIX)) return { ...outcome, signal: null }
    }
  } finally {
    giveBack()
  }
}

/** Makes directory and environment those of a run, and gives what makes them what they were. */
function takeProcess(cwd: string, env: Readonly<Record<string, string | undefined>>): () => void {
  const before = {
    cwd: process.cwd(),
    env: { ...process.env },
  }
  const setEnvironment = (variables: Readonly<Record<string, string | undefined>>): void => {
    for (const name of Object.keys(process.env)) if (!(name in variables)) delete process.env[name]
    for (const [name, value] of Object.entries(variables)) if (value !== undefined) process.env[name] = value
  }
  process.chdir(cwd)
  setEnvironment(env)
  return () => {
    process.chdir(before.cwd)
    setEnvironment(before.env)
  }
}
