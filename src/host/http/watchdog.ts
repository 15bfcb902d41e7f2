/** Notices when too little arrives. */
export interface Watchdog {
  /** Aborted once less than the least arrived in one period. */
  readonly signal: AbortSignal
  /** So many bytes have arrived. */
  readonly arrived: (bytes: number) => void
  /** What arrived in the period so far. */
  readonly bytes: () => number
  readonly stop: () => void
}

/**
 * Starts watching; `stop` must be called in the end. A period of `periodMs` begins anew whenever `leastBytes` of it are
 * there: a byte now and then would keep a download for ever.
 */
export function startWatchdog(periodMs: number, leastBytes: number): Watchdog {
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort(), periodMs)
  let bytes = 0
  return {
    signal: controller.signal,
    arrived(count) {
      bytes += count
      if (bytes < leastBytes) return
      bytes = 0
      timer.refresh()
    },
    bytes: () => bytes,
    stop: () => clearTimeout(timer),
  }
}
