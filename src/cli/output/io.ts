import type { InterruptingSignal } from '../../model/gate.ts'
import { fstatSync } from 'node:fs'
import process from 'node:process'
import { type Clock, systemClock } from '../clock.ts'
import { OperatorError } from '../../model/operator-error.ts'
import { systemReason } from '../../model/system-reason.ts'
import { createPaint, type Paint, wantsColor } from './color.ts'
import type { Target } from '../../host/target.ts'
import { isOwn } from '../../host/live/own-channel.ts'

/** What others send to a process to end it. */
export interface Signals {
  readonly on: (name: InterruptingSignal, listener: () => void) => void
  readonly off: (name: InterruptingSignal, listener: () => void) => void
  /** Ends the process with an exit code at once. */
  readonly endAtOnce: (code: number) => void
}

/** The channels of a process, its signals and its clock, as commands use them. */
export interface Io {
  readonly env: Readonly<Record<string, string | undefined>>
  /** Writes to standard output and resolves when everything is handed over. A reader that went away is no error. */
  readonly print: (text: string) => Promise<void>
  /**
   * Whether standard output is for the operator: a terminal or a pipe, but neither a file that others can read nor the
   * journal of systemd.
   */
  readonly isOutputPrivate: () => boolean
  /** How many columns the terminal on standard output has; undefined if invalid. */
  readonly outputColumns: () => number | undefined
  /** Writes a message to standard error. */
  readonly say: (text: string) => void
  /** Colours for standard output and standard error; the text unchanged where they take none. */
  readonly paintOutput: () => Promise<Paint>
  readonly paintMessages: () => Promise<Paint>
  /** Standard error if a person watches it. */
  readonly screen: Screen | undefined
  readonly stdin: AsyncIterable<unknown>
  readonly signals: Signals
  readonly clock: Clock
  /** The machine that a scan looks at where no target is named; it opens this one where that is absent. */
  readonly machine?: Target
}

/** A terminal on which one line can be rewritten. */
export interface Screen {
  readonly columns: () => number
  readonly write: (text: string) => void
}

/** The channels of this process. A pipe whose reader has gone swallows what is written to it. */
export function processIo(endAtOnce: Signals['endAtOnce']): Io {
  const { stdout, stderr, env } = process
  // An error event without a listener would end the process with a stack trace; writers learn of it by their callback.
  stdout.on('error', () => undefined)
  stderr.on('error', () => undefined)
  return {
    env,
    print: (text) =>
      new Promise((resolve, reject) => {
        stdout.write(text, (error) => {
          if (error === undefined || error === null || isBrokenPipe(error)) resolve()
          else reject(new OperatorError(`cannot write to standard output: ${systemReason(error)}`, { cause: error }))
        })
      }),
    isOutputPrivate: () => isOutputPrivate(env),
    outputColumns: () => (stdout.isTTY ? stdout.columns || undefined : undefined),
    say: (text) => void stderr.write(text),
    paintOutput: () => createPaint(wantsColor(stdout, env)),
    paintMessages: () => createPaint(wantsColor(stderr, env)),
    screen:
      stderr.isTTY && !isSet(env['CI']) && env['TERM'] !== 'dumb'
        ? { columns: () => stderr.columns || 80, write: (text) => void stderr.write(text) }
        : undefined,
    // Opened once something reads it.
    stdin: { [Symbol.asyncIterator]: () => process.stdin[Symbol.asyncIterator]() },
    signals: {
      on: (name, listener) => void process.on(name, listener),
      off: (name, listener) => void process.off(name, listener),
      endAtOnce,
    },
    clock: systemClock,
  }
}

/** @see systemd.exec(5), which says how a process knows that its output goes to the journal: $JOURNAL_STREAM */
function isOutputPrivate(env: Io['env']): boolean {
  try {
    const { dev, ino } = fstatSync(process.stdout.fd)
    return env['JOURNAL_STREAM'] !== `${dev}:${ino}` && isOwn(process.stdout.fd)
  } catch {
    return true // It is closed, and has no reader.
  }
}

function isBrokenPipe(error: Error): boolean {
  return 'code' in error && error.code === 'EPIPE'
}

/** `CI=` and `CI=false` are how people say that they are not in CI. */
function isSet(value: string | undefined): boolean {
  return value !== undefined && !['', '0', 'false'].includes(value)
}

const WIDEST_PROSE = 110

/** How many characters a line of prose on standard output should hold: those of the terminal, as far as it can be read. */
export function proseWidth(io: Pick<Io, 'outputColumns'>): number {
  return Math.min(io.outputColumns() ?? WIDEST_PROSE, WIDEST_PROSE)
}
