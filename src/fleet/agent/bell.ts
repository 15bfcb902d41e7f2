import { waitUntil } from '../../runs/watch/rhythm.ts'

/** Tells one that waits, or will wait, that there is something to do. */
export interface Bell {
  readonly ring: () => void
  /** Resolves when it rang, before or now, when the time on the monotonic clock has come, or once the signal is aborted. */
  readonly wait: (untilMs: number, signal: AbortSignal) => Promise<void>
}

/** A bell for one that waits. */
export function makeBell(): Bell {
  let hasRung = false
  let wake: () => void = () => undefined
  return {
    ring() {
      hasRung = true
      wake()
    },
    async wait(untilMs, signal) {
      const over = new AbortController()
      wake = () => over.abort()
      signal.addEventListener('abort', wake, { once: true })
      if (hasRung || signal.aborted) wake()
      await waitUntil(untilMs, () => performance.now(), over.signal)
      signal.removeEventListener('abort', wake)
      hasRung = false
    },
  }
}
