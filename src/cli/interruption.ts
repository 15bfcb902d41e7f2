import { EXIT } from '../core/gate.ts'
import type { Io } from './output/io.ts'

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
export function watchInterruption({ signals }: Pick<Io, 'signals'>, onFirst: (name: string) => void): Interruption {
  const controller = new AbortController()
  const stop = (name: 'SIGINT' | 'SIGTERM'): void => {
    if (controller.signal.aborted) signals.endAtOnce(exitCodeOf(name))
    controller.abort(name)
    onFirst(name)
  }
  const stopInterrupt = (): void => stop('SIGINT')
  const stopTerminate = (): void => stop('SIGTERM')
  signals.on('SIGINT', stopInterrupt)
  signals.on('SIGTERM', stopTerminate)
  return {
    signal: controller.signal,
    release() {
      signals.off('SIGINT', stopInterrupt)
      signals.off('SIGTERM', stopTerminate)
    },
  }
}

/** The exit code of what one of the signals ended, by its name. */
export function exitCodeOf(name: unknown): number {
  return name === 'SIGTERM' ? EXIT.terminated : EXIT.interrupted
}
