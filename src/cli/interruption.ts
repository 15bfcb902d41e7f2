import process from 'node:process'
import { EXIT } from '../core/gate.ts'

/** Signals that end a run early. */
export interface Interruption {
  /** Aborted by the first signal, with its name as the reason. */
  readonly signal: AbortSignal
  /** Gives the signals back to the system. */
  readonly release: () => void
}

/**
 * Watches for SIGINT and SIGTERM. The first one lets the current write finish and the reports be written; the second
 * one ends the process at once. `onFirst` runs when the first one arrives.
 */
export function watchInterruption(onFirst: (name: string) => void): Interruption {
  const controller = new AbortController()
  const stop = (name: 'SIGINT' | 'SIGTERM'): void => {
    if (controller.signal.aborted) endAtOnce(name)
    controller.abort(name)
    onFirst(name)
  }
  const stopInterrupt = (): void => stop('SIGINT')
  const stopTerminate = (): void => stop('SIGTERM')
  process.on('SIGINT', stopInterrupt)
  process.on('SIGTERM', stopTerminate)
  return {
    signal: controller.signal,
    release() {
      process.off('SIGINT', stopInterrupt)
      process.off('SIGTERM', stopTerminate)
    },
  }
}

function endAtOnce(name: 'SIGINT' | 'SIGTERM'): never {
  // oxlint-disable-next-line unicorn/no-process-exit -- asked to twice: nothing may delay the end
  process.exit(exitCodeOf(name))
}

/** The exit code of what one of the signals ended, by its name. */
export function exitCodeOf(name: unknown): number {
  return name === 'SIGTERM' ? EXIT.terminated : EXIT.interrupted
}
