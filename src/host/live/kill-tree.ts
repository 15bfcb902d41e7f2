import { readdirSync, readFileSync } from 'node:fs'
import { errorCode } from './system-error.ts'
import process from 'node:process'

/**
 * Kills the process group of a child and all its descendants, even those in other groups: a scan that cannot end its
 * commands in an orderly way must not leave them behind. Without /proc, only the group.
 */
export function killTree({ pid }: { readonly pid?: number | undefined }): void {
  if (pid === undefined) return
  const below = processesBelow(pid)
  kill(-pid)
  for (const each of below) kill(each)
}

function processesBelow(pid: number): readonly number[] {
  return childrenOf(pid).flatMap((child) => [child, ...processesBelow(child)])
}

/** @see proc(5), /proc/[pid]/task/[tid]/children */
function childrenOf(pid: number): readonly number[] {
  const directory = `/proc/${pid}/task`
  try {
    const lists = readdirSync(directory).map((thread) => readFileSync(`${directory}/${thread}/children`, 'utf8'))
    return lists.flatMap((list) => list.split(' ').filter((word) => word !== '')).map(Number)
  } catch (error) {
    // It has ended meanwhile, or the kernel has no such list.
    if (errorCode(error) !== undefined) return []
    throw error
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    // It has just ended, or runs as another user.
    if (!['ESRCH', 'EPERM'].includes(errorCode(error) ?? '')) throw error
  }
}
