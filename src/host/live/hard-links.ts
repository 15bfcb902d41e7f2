import { readFileSync } from 'node:fs'
import type { Place } from './place.ts'
import { isOursAlone } from './trust.ts'

/** Whether users may create hard links to files they cannot write. @see proc_sys_fs(5) */
export function anyUserMayLink(): boolean {
  try {
    return readFileSync('/proc/sys/fs/protected_hardlinks', 'utf8').trim() === '0'
  } catch {
    // Systems without the setting do not have the protection.
    return false
  }
}

/** Why a file with several hard links below a root directory is not changed. */
export const NAMES_OUTSIDE = 'it has other hard links, which may be outside the target and would change, too'

/**
 * Why a file may belong to another user: it has several hard links, and a user who can write to this directory may have
 * created this one. Undefined if that is impossible.
 */
export function plantedLinkProblem({ stats }: Place, holder: Place): string | undefined {
  if (stats.isDirectory() || stats.nlink < 2) return undefined
  if (holder.isConfined === true) return NAMES_OUTSIDE
  if (isOursAlone(holder.stats)) return undefined
  return 'it has other hard links, and other users can write to its directory, so it may belong to another user'
}
