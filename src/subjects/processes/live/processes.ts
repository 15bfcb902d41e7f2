import { lstatSync, readFileSync, readlinkSync } from 'node:fs'
import { known, type Reading, type Unknown, unknown } from '../../../model/observation.ts'
import type { Executable, Process, Processes, ProcessList } from '../processes.ts'
import { nameFromBytes } from '../../../host/live/file-name.ts'
import { listNames } from '../../../host/live/list-directory.ts'
import { errorCode, provesAbsence, unreadable } from '../../../host/live/system-error.ts'
import { unitKind } from '../../../host/systemd/unit-name.ts'

/** Bit of CAP_SYS_PTRACE, which overrides `hidepid`. @see capabilities(7) */
const PTRACE = 1n << 19n

interface ProcessStat {
  readonly command: string
  /** Whether it is a zombie or about to become one. */
  readonly hasEnded: boolean
  readonly parentPid: number
  readonly isKernelThread: boolean
  readonly threads: number
  readonly startTicks: number
}

/** @see linux/sched.h, PF_KTHREAD */
const KERNEL_THREAD = 0x0020_0000

/** Field indexes after the name. @see proc(5), /proc/[pid]/stat */
const FIELD = { state: 0, parentPid: 1, flags: 6, threads: 17, startTicks: 19 } as const

/** Processes of the machine, from /proc; tests use another directory. */
export function openProcesses(proc = '/proc'): Processes & { readonly forget: () => void } {
  let kept: Reading<ProcessList> | undefined
  return {
    list: () => (kept ??= readProcesses(proc)),
    forget() {
      kept = undefined
    },
  }
}

function readProcesses(proc: string): Reading<ProcessList> {
  const pids = listPids(proc)
  if (pids.kind === 'unknown') return pids
  const processes: Process[] = []
  let unseen = hidingMount(proc, pids.value)
  for (const pid of pids.value) {
    const found = readProcess(`${proc}/${pid}`, pid)
    if (found === undefined) continue
    if ('kind' in found) unseen ??= found
    else processes.push(found)
  }
  return known(unseen === undefined ? { processes } : { processes, unseen })
}

/** All pids in ascending order. */
export function listPids(proc: string): Reading<readonly number[]> {
  try {
    const pids = listNames(proc).filter((name) => /^\d+$/.test(name))
    // This process is always listed, so a directory without processes is not a proc file system.
    if (pids.length === 0) return unknown('not-observable', `${proc} shows no processes`)
    return known(pids.map(Number).toSorted((left, right) => left - right))
  } catch (error) {
    return provesAbsence(error) ? unknown('not-observable', `${proc} does not exist`) : unreadable(error, proc)
  }
}

/** Whether an error of reading below /proc means that the process has ended. */
export function meansEnded(error: unknown): boolean {
  return provesAbsence(error) || errorCode(error) === 'ESRCH'
}

/** Undefined for a process that is not running, or ended during the read. */
function readProcess(directory: string, pid: number): Process | Unknown | undefined {
  try {
    const stat = parseStat(nameFromBytes(readFileSync(`${directory}/stat`)))
    if (stat === undefined) return unknown('invalid', `${directory}/stat: not in the format of proc(5)`)
    const thread = runningThread(directory, stat)
    if (thread === undefined) return undefined
    const uids = parseUids(readFileSync(`${directory}/status`, 'latin1'))
    if (uids === undefined) return unknown('invalid', `${directory}/status: no line "Uid:" with numbers`)
    return {
      pid,
      parentPid: stat.parentPid,
      isKernelThread: stat.isKernelThread,
      command: stat.command,
      arguments: argumentsIn(nameFromBytes(readFileSync(`${thread}/cmdline`))),
      executable: stat.isKernelThread ? known(null) : readExecutable(thread, directory),
      realUid: uids.real,
      effectiveUid: uids.effective,
      unit: readUnit(directory),
      startTicks: stat.startTicks,
    }
  } catch (error) {
    return meansEnded(error) ? undefined : unreadable(error, directory)
  }
}

/**
 * Directory to read the process from; undefined if it has ended. A process with an ended main thread looks like a zombie although
 * its other threads run, and only their directories have its data.
 */
function runningThread(directory: string, stat: ProcessStat): string | undefined {
  if (!stat.hasEnded) return directory
  if (stat.threads < 2) return undefined
  for (const name of listNames(`${directory}/task`)) {
    const task = `${directory}/task/${name}`
    try {
      const own = parseStat(nameFromBytes(readFileSync(`${task}/stat`)))
      if (own?.hasEnded === false) return task
    } catch (error) {
      if (!meansEnded(error)) throw error
    }
  }
  return undefined
}

/** Arguments in process memory; a process that overwrites them may drop the terminator. */
function argumentsIn(text: string): readonly string[] {
  return text === '' ? [] : text.replace(/\0+$/, '').split('\0')
}

const DELETED = ' (deleted)'

/** Executable of a process; an ended process is not taken for a kernel thread. */
function readExecutable(thread: string, directory: string): Reading<Executable | null> {
  try {
    const path = nameFromBytes(readlinkSync(`${thread}/exe`, 'buffer'))
    // A file name may end like that itself; then the file exists.
    if (!path.endsWith(DELETED) || isThere(path)) return known({ path, isDeleted: false })
    return known({ path: path.slice(0, -DELETED.length), isDeleted: true })
  } catch (error) {
    if (!provesAbsence(error)) return meansEnded(error) ? known(null) : unreadable(error, `${directory}/exe`)
    // Throws if the process has ended; the caller handles that.
    lstatSync(directory)
    return known(null)
  }
}

function isThere(path: string): boolean {
  try {
    lstatSync(path)
    return true
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    return false
  }
}

function readUnit(directory: string): Reading<string | null> {
  try {
    return known(unitOfCgroups(readFileSync(`${directory}/cgroup`, 'utf8')))
  } catch (error) {
    // A kernel without control groups has no such file; a process that ended in the meantime needs no unit.
    return meansEnded(error) ? known(null) : unreadable(error, `${directory}/cgroup`)
  }
}

/** Parses /proc/[pid]/stat. The name may contain parentheses and line feeds, so it ends at the last parenthesis. */
export function parseStat(text: string): ProcessStat | undefined {
  const start = text.indexOf('(')
  const end = text.lastIndexOf(')')
  if (start === -1 || end < start) return undefined
  const fields = text
    .slice(end + 1)
    .trim()
    .split(' ')
  const [parentPid, flags, threads, startTicks] = [FIELD.parentPid, FIELD.flags, FIELD.threads, FIELD.startTicks].map(
    (index) => Number(fields[index]),
  )
  const state = fields[FIELD.state]
  if (parentPid === undefined || flags === undefined || threads === undefined || startTicks === undefined)
    return undefined
  if (![parentPid, flags, threads, startTicks].every(Number.isSafeInteger) || state === undefined) return undefined
  return {
    command: text.slice(start + 1, end),
    hasEnded: 'ZXx'.includes(state),
    parentPid,
    isKernelThread: Math.floor(flags / KERNEL_THREAD) % 2 === 1,
    threads,
    startTicks,
  }
}

/** Real and effective uid from /proc/[pid]/status. */
function parseUids(text: string): { readonly real: number; readonly effective: number } | undefined {
  const [, real, effective] = /^Uid:\t(\d+)\t(\d+)\t/m.exec(text) ?? []
  return real === undefined || effective === undefined
    ? undefined
    : { real: Number(real), effective: Number(effective) }
}

/** Why /proc may hide processes; undefined if it shows all. @see proc(5), hidepid */
function hidingMount(proc: string, pids: readonly number[]): Unknown | undefined {
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

/**
 * Unit of the system's service manager from /proc/[pid]/cgroup; `null` if absent. A unit of a user manager is part of
 * `user@UID.service`.
 */
export function unitOfCgroups(text: string): string | null {
  const lines = text.split('\n').map((line) => line.split(':'))
  // systemd uses its own hierarchy or the unified one; if both exist, one of them has no units.
  for (const [, , ...path] of [
    ...lines.filter(([, of]) => of === 'name=systemd'),
    ...lines.filter(([id]) => id === '0'),
  ]) {
    const unit = unitIn(path.join(':'))
    if (unit !== undefined) return unit
  }
  return null
}

/** The first part that is a unit but no slice, which only groups units. */
function unitIn(path: string): string | undefined {
  return path
    .split('/')
    .map((part) => part.replace(/^_/, '')) // Before a name that could be taken for a file of the kernel.
    .find((name) => !name.endsWith('.slice') && unitKind(name) !== undefined)
}
