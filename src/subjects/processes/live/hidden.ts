import { readFileSync } from 'node:fs'
import { type Unknown, unknown } from '../../../model/observation.ts'
import { errorCode } from '../../../host/live/system-error.ts'

/** Bit of CAP_SYS_PTRACE, which overrides `hidepid`. @see capabilities(7) */
const PTRACE = 1n << 19n

/** Why /proc may hide processes; undefined if it shows all. @see proc(5), hidepid */
export function hidingMount(proc: string, pids: readonly number[]): Unknown | undefined {
  // Every namespace has a process 1; if it is hidden, others may be too.
  if (!pids.includes(1)) return unknown('permission-denied', `${proc} hides processes of other users: run as root`)
  const option = hidepidOf(proc)
  if (option === undefined || mayTraceAll(proc)) return undefined
  return unknown('permission-denied', `${proc} is mounted with hidepid=${option}: run as root`)
}

function hidepidOf(proc: string): string | undefined {
  const line = textOf(`${proc}/self/mountinfo`)
    .split('\n')
    .findLast((each) => each.split(' ')[4] === proc)
  const value = /[ ,]hidepid=([^,\s]+)/.exec(line?.slice(line.indexOf(' - ')) ?? '')?.[1]
  return value === '0' || value === 'off' ? undefined : value
}

function mayTraceAll(proc: string): boolean {
  const effective = /^CapEff:\t([0-9a-f]+)$/m.exec(textOf(`${proc}/self/status`))?.[1]
  return effective !== undefined && (BigInt(`0x${effective}`) & PTRACE) !== 0n
}

/** An unreadable file is treated as empty; the files belong to this process. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    return ''
  }
}
