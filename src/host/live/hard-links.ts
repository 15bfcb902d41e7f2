import { readFileSync } from 'node:fs'
import type { Place } from './place.ts'
import { isOursAlone } from './trust.ts'

/** Whether this system lets people link files they could not write. @see proc_sys_fs(5) */
export function anybodyMayLink(): boolean {
  try {
    return readFileSync('/proc/sys/fs/protected_hardlinks', 'utf8').trim() === '0'
  } catch {
    // Systems without the setting have no such protection, and none that could be asked for.
    return false
  }
}

/** Why a file below a root directory is not changed. */
export const NAMES_OUTSIDE = 'it has other hard links, which may lie outside the target and would be changed with it'

/**
 * Why a file may be that of another user although it is found here: it has other names, and a user who can write in this directory
 * may have given it this one. Undefined where that is impossible.
 */
export function plantedLinkProblem({ stats }: Place, holder: Place): string | undefined {
  if (stats.isDirectory() || stats.nlink < 2) return undefined
  if (holder.isConfined === true) return NAMES_OUTSIDE
  if (isOursAlone(holder.stats)) return undefined
  return 'it has other hard links in a directory that other users can write to, so it may be the file of another user'
}
