/** Notices when nothing happens for too long. */
export interface Watchdog {
  /** Aborted once nothing was reported for the whole time. */
  readonly signal: AbortSignal
  /** Something has happened. */
  readonly touch: () => void
  readonly stop: () => void
}

/** Starts watching; `stop` must be called in the end. */
export function startWatchdog(idleMs: number): Watchdog {
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort(), idleMs)
  return {
    signal: controller.signal,
    touch: () => timer.refresh(),
    stop: () => clearTimeout(timer),
  }
}
