import { readFileSync } from 'node:fs'
import { errorCode } from '../../host/live/system-error.ts'

/** What time it is: by the wall clock, which may be set, and since the start of the system, where that can be told. */
export interface Clock {
  readonly wallMs: number
  readonly boot?: { readonly id: string; readonly elapsedMs: number }
}

/** Reads the clocks. @see proc_uptime(5), which counts the time that the system slept, too */
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
