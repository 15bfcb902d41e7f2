import { waitUntil } from '../../runs/watch/rhythm.ts'

/** Wake-up signal. A signal sent before `wait` is not lost. */
export interface Bell {
  readonly ring: () => void
  /** Resolves after a past or new signal, at a time of the monotonic clock, or on an abort. */
  readonly wait: (untilMs: number, signal: AbortSignal) => Promise<void>
}

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
