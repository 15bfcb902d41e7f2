import type { InterruptingSignal } from '../../model/gate.ts'
import { fstatSync } from 'node:fs'
import process from 'node:process'
import { type Clock, systemClock } from '../clock.ts'
import { OperatorError } from '../../model/operator-error.ts'
import { systemReason } from '../../model/system-reason.ts'
import { createPaint, type Paint, wantsColor } from './color.ts'
import type { Target } from '../../host/target.ts'
import { isOwn } from '../../host/live/own-channel.ts'

/** Termination signals of the process. */
export interface Signals {
  readonly on: (name: InterruptingSignal, listener: () => void) => void
  readonly off: (name: InterruptingSignal, listener: () => void) => void
  /** Exits immediately with this code. */
  readonly endAtOnce: (code: number) => void
}

/** Channels, signals and clock of a process, as used by commands. */
export interface Io {
  readonly env: Readonly<Record<string, string | undefined>>
  /** Writes to standard output and resolves when everything is handed over. A closed reader is not an error. */
  readonly print: (text: string) => Promise<void>
  /**
   * True if only the operator can read standard output: a terminal or a pipe, not a file that others can read or the
   * systemd journal.
   */
  readonly isOutputPrivate: () => boolean
  /** Width of the terminal on standard output in columns; undefined if unknown. */
  readonly outputColumns: () => number | undefined
  /** Writes a message to standard error. */
  readonly say: (text: string) => void
  /** Colours for standard output and standard error; they leave the text unchanged if colours are off. */
  readonly paintOutput: () => Promise<Paint>
  readonly paintMessages: () => Promise<Paint>
  /** Standard error, if it is an interactive terminal. */
  readonly screen: Screen | undefined
  readonly stdin: AsyncIterable<unknown>
  readonly signals: Signals
  readonly clock: Clock
  /** Machine to scan without a target; by default this one is opened. */
  readonly machine?: Target
}

/** A terminal with a rewritable line. */
export interface Screen {
  readonly columns: () => number
  readonly write: (text: string) => void
}

/** The channels of this process. Writes to a pipe without a reader are dropped. */
export function processIo(endAtOnce: Signals['endAtOnce']): Io {
  const { stdout, stderr, env } = process
  // An error event without a listener would end the process with a stack trace; the write callback reports the error.
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
    // Opened lazily.
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
    return true // Closed: no reader.
  }
}

function isBrokenPipe(error: Error): boolean {
  return 'code' in error && error.code === 'EPIPE'
}

/** `CI=` and `CI=false` mean that CI is off. */
function isSet(value: string | undefined): boolean {
  return value !== undefined && !['', '0', 'false'].includes(value)
}

const WIDEST_PROSE = 110

/** Line width for prose on standard output: the terminal width, up to a readable maximum. */
export function proseWidth(io: Pick<Io, 'outputColumns'>): number {
  return Math.min(io.outputColumns() ?? WIDEST_PROSE, WIDEST_PROSE)
}
