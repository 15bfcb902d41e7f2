import { setTimeout } from 'node:timers/promises'
import { EXIT } from '../../core/gate.ts'
import type { Run } from '../../core/run.ts'

/** How an audit is repeated. */
export interface Waiting {
  /** How long, in milliseconds from the start of the first audit. */
  readonly limitMs: number
  /** Between two audits, in milliseconds; a second where it is absent, as in Goss. */
  readonly pauseMs?: number
  /** Ends the waiting. */
  readonly signal: AbortSignal
  /** Told, before each pause, what is still wrong. What was read in bulk has to be forgotten then. */
  readonly onWait: (message: string) => void
}

/** What time may change. */
const WORTH_WAITING: ReadonlySet<number> = new Set([EXIT.drift, EXIT.undecided])

/** Audits until nothing is wrong any more, or until there is no time for another audit. Gives the last one. */
export async function auditUntilRight(
  audit: () => Promise<Run>,
  { limitMs, pauseMs = 1000, signal, onWait }: Waiting,
): Promise<Run> {
  const start = performance.now()
  for (let count = 1; ; count++) {
    const run = await audit()
    const isOver = performance.now() - start + pauseMs > limitMs
    if (!WORTH_WAITING.has(run.exit.code) || isOver || signal.aborted) return run
    onWait(`audit ${count}: ${run.exit.reasons.join('; ')}; audited again in ${pauseMs / 1000} s`)
    // An interruption lets the next audit end at once, and say so.
    await setTimeout(pauseMs, undefined, { signal }).catch(() => undefined)
  }
}
