import { readFileSync } from 'node:fs'
import { errorCode } from '../../host/live/system-error.ts'

/** Wall-clock time, which may be adjusted, and the time since boot, if known. */
export interface Clock {
  readonly wallMs: number
  readonly boot?: { readonly id: string; readonly elapsedMs: number }
}

/** Reads the clocks. @see proc_uptime(5), which includes the time in suspend */
export function readClock(): Clock {
  const wallMs = Date.now()
  try {
    const [seconds] = readFileSync('/proc/uptime', 'utf8').split(' ')
    const id = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    return { wallMs, boot: { id, elapsedMs: Math.round(Number(seconds) * 1000) } }
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    return { wallMs }
  }
}
