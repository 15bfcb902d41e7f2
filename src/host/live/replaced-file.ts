import { closeSync, constants, openSync } from 'node:fs'
import { mayHaveAttributes } from './access/listed.ts'
import { findChild, type Place } from './place.ts'
import { copyAttributes } from './run-cp.ts'

const TIMEOUT_MS = 10_000

const EXECUTE_BITS = 0o111

/** Why a file is not replaced, if no system call failed. */
export class ReplacementError extends Error {
  override readonly name = 'ReplacementError'
}

/** The attributes that a new file takes over from the one it replaces. */
export interface ReplacedFile {
  /** Copies ACL, extended attributes and label to a file without content, and the mode if there are any. */
  readonly handOn: (fd: number) => Promise<void>
  /** Copies file capabilities again, since the kernel drops them on every write. */
  readonly handOnCapabilities: (fd: number) => Promise<void>
  readonly close: () => void
}

/**
 * Opens the regular file that is to be replaced; undefined if absent. Node has no calls for extended attributes, so where
 * there are any GNU cp(1) copies them, and fails if it cannot: then nothing is replaced. Throws a `ReplacementError` for a file with
 * several hard links, since the others would keep the old content.
 */
export function openReplaced(directory: Place, name: string): ReplacedFile | undefined {
  const place = findChild(directory, name)
  if (place === undefined) return undefined
  try {
    const { stats } = place
    if (!stats.isFile()) return undefined
    if (stats.nlink > 1) throw new ReplacementError(otherNames(stats.nlink))
    // Only Linux has these attributes in this form.
    if (process.platform !== 'linux') return undefined
    const old = openSync(place.handle, constants.O_RDONLY | constants.O_NONBLOCK)
    // Capabilities have no effect without an execute bit; only root can set them.
    const mayHaveCapabilities = (stats.mode & EXECUTE_BITS) !== 0 && process.geteuid?.() === 0
    return {
      handOn: (fd) => handOn(old, fd, ['mode', 'xattr']),
      handOnCapabilities: async (fd) => (mayHaveCapabilities ? handOn(old, fd, ['xattr']) : undefined),
      close: () => closeSync(old),
    }
  } finally {
    place.close()
  }
}

function otherNames(count: number): string {
  return `it has ${count} hard links, and the others would keep the old content; remove the other links first`
}

/** The new file may have inherited a list from its directory. */
async function handOn(from: number, to: number, preserve: readonly string[]): Promise<void> {
  if (!(await mayHaveAttributes([from, to]))) return
  const trouble = await copyAttributes([from, to], { preserve, timeoutMs: TIMEOUT_MS })
  if (trouble === undefined) return
  throw new ReplacementError(`cannot keep its access control list and extended attributes: ${trouble}`)
}
