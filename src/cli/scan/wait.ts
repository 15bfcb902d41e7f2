import type { Clock } from '../clock.ts'
import { EXIT } from '../../model/gate.ts'
import type { Run } from '../../model/run.ts'

/** How an audit is repeated. */
export interface Waiting {
  /** How long, in milliseconds from the start of the first audit. */
  readonly limitMs: number
  /** Ends the waiting. */
  readonly signal: AbortSignal
  readonly clock: Clock
  /** Told, before each pause, what is still wrong. What was read in bulk has to be forgotten then. */
  readonly onWait: (message: string) => void
}

/** Between two audits, as in Goss. */
const PAUSE_MS = 1000

/** What time may change. */
const WORTH_WAITING: ReadonlySet<number> = new Set([EXIT.drift, EXIT.undecided])

/** Audits until nothing is wrong any more, or until there is no time for another audit. Gives the last one. */
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
    // An interruption lets the next audit end at once, and say so.
    await clock.pause(PAUSE_MS, signal)
  }
}
