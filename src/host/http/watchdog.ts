/** Detects a stalled transfer. */
export interface Watchdog {
  /** Aborted when too few bytes arrived in one period. */
  readonly signal: AbortSignal
  /** Reports received bytes. */
  readonly arrived: (bytes: number) => void
  /** Bytes received in the current period. */
  readonly bytes: () => number
  readonly stop: () => void
}

/**
 * Starts a watchdog; the caller must call `stop`. A new period of `periodMs` starts whenever `leastBytes` have arrived,
 * so that a byte now and then does not keep a download alive.
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
