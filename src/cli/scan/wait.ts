import type { Clock } from '../clock.ts'
import { EXIT } from '../../model/gate.ts'
import type { Run } from '../../model/run.ts'

export interface Waiting {
  /** Time limit in milliseconds, from the start of the first audit. */
  readonly limitMs: number
  /** Ends the waiting. */
  readonly signal: AbortSignal
  readonly clock: Clock
  /** Called before each pause with the remaining problems. The caller must drop cached bulk reads. */
  readonly onWait: (message: string) => void
}

/** Pause between audits, as in Goss. */
const PAUSE_MS = 1000

/** Exit codes that may change over time. */
const WORTH_WAITING: ReadonlySet<number> = new Set([EXIT.drift, EXIT.undecided])

/** Audits until nothing is wrong or the time is up; returns the last run. */
export async function auditUntilRight(
  audit: () => Promise<Run>,
  { limitMs, signal, clock, onWait }: Waiting,
): Promise<Run> {
  const start = clock.elapsed()
  for (let count = 1; ; count++) {
    const run = await audit()
    const isOver = clock.elapsed() - start + PAUSE_MS > limitMs
    if (!WORTH_WAITING.has(run.exit.code) || isOver || signal.aborted) return run
    onWait(`audit ${count}: ${run.exit.reasons.join('; ')}; audited again in ${PAUSE_MS / 1000} s`)
    // After an interruption the next audit ends at once and reports it.
    await clock.pause(PAUSE_MS, signal)
  }
}
