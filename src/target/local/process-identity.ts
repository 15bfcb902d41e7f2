import { readFileSync } from 'node:fs'
import { errorCode } from './system-error.ts'

/** A process that is running, told apart from a later one with the same number by when it started. */
export interface ProcessIdentity {
  readonly pid: number
  /** Clock ticks since the machine was started, with the machine's start; a word where the system does not tell. */
  readonly start: string
}

const UNTOLD = 'untold'

/** Who this process is. */
export function ownIdentity(): ProcessIdentity {
  return { pid: process.pid, start: startOf(process.pid) ?? UNTOLD }
}

/** Whether that very process still runs. One that is dead but not yet collected by its parent does not. */
export function isRunning({ pid, start }: ProcessIdentity): boolean {
  return start === UNTOLD ? exists(pid) : startOf(pid) === start
}

/** The command line of a process, undefined where it cannot be told. */
export function commandOf(pid: number): string | undefined {
  const text = readProc(`/proc/${pid}/cmdline`)
  return text === undefined || text === '' ? undefined : text.replace(/\0$/, '').replaceAll('\0', ' ')
}

/** State and start time are the 3rd and 22nd field; the 2nd, the name, may hold blanks and brackets. @see proc(5) */
function startOf(pid: number): string | undefined {
  const stat = readProc(`/proc/${pid}/stat`)
  if (stat === undefined) return undefined
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  if (fields[0] === 'Z' || fields[0] === 'X') return undefined
  const boot = readProc('/proc/sys/kernel/random/boot_id')?.slice(0, 8) ?? 'boot'
  return `${boot}-${fields[19]}`
}

function readProc(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1')
  } catch (error) {
    // ESRCH: the process ended between opening and reading.
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ESRCH') return undefined
    throw error
  }
}

function exists(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return errorCode(error) === 'EPERM'
  }
}
