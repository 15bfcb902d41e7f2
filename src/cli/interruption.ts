import { readFileSync } from 'node:fs'
import { exitCodeOf, type InterruptingSignal } from '../model/gate.ts'
import type { Io } from './output/io.ts'

/** Interruption of a run by signals. */
export interface Interruption {
  /** Aborted by the first signal, with its name as the reason. */
  readonly signal: AbortSignal
  /** Restores the default signal handling. */
  readonly release: () => void
}

const SIGNALS: readonly InterruptingSignal[] = ['SIGHUP', 'SIGINT', 'SIGTERM']

/**
 * Handles SIGHUP, SIGINT and SIGTERM. The first one lets the current write finish and the reports be written; the
 * second one ends the process at once. `onFirst` runs on the first one.
 */
export function watchInterruption({ signals }: Pick<Io, 'signals'>, onFirst: (name: string) => void): Interruption {
  const controller = new AbortController()
  const stop = (name: InterruptingSignal): void => {
    // A closing terminal may send SIGHUP repeatedly.
    if (controller.signal.aborted && name === 'SIGHUP') return
    if (controller.signal.aborted) signals.endAtOnce(exitCodeOf(name))
    controller.abort(name)
    onFirst(name)
  }
  const watched = SIGNALS.filter((name) => name !== 'SIGHUP' || !isHangupIgnored())
  const listeners = watched.map((name) => [name, () => stop(name)] as const)
  for (const [name, listener] of listeners) signals.on(name, listener)
  return {
    signal: controller.signal,
    release() {
      for (const [name, listener] of listeners) signals.off(name, listener)
    },
  }
}

/** True if the parent ignores SIGHUP for this process, as nohup(1) does. @see proc_pid_status(5), SigIgn */
function isHangupIgnored(): boolean {
  try {
    const [, mask = '0'] = /^SigIgn:\s*([0-9a-f]+)$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? []
    return (BigInt(`0x${mask}`) & 1n) === 1n
  } catch {
    return false // The file exists on Linux only.
  }
}
