import { lstatSync, readFileSync, readlinkSync } from 'node:fs'
import { known, type Reading, type Unknown, unknown } from '../../../model/observation.ts'
import type { Executable, Process, Processes, ProcessList } from '../processes.ts'
import { nameFromBytes } from '../../../host/live/file-name.ts'
import { listNames } from '../../../host/live/list-directory.ts'
import { errorCode, provesAbsence, unreadable } from '../../../host/live/system-error.ts'
import { unitOfCgroups } from './cgroup.ts'
import { hidingMount } from './hidden.ts'
import { parseStat, parseUids, type ProcessStat } from './stat.ts'

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
