import { closeSync, constants, openSync } from 'node:fs'
import { findChild, type Place } from './place.ts'
import { copyAttributes } from './run-cp.ts'

const TIMEOUT_MS = 10_000

const EXECUTE_BITS = 0o111

/** Why a file is not replaced, where no system call failed. */
export class ReplacementError extends Error {
  override readonly name = 'ReplacementError'
}

/** What a file that is about to be replaced hands on to the new one. */
export interface ReplacedFile {
  /** Its access control list, extended attributes and label, also its mode; for a file that nothing was written to yet. */
  readonly handOn: (fd: number) => Promise<void>
  /** File capabilities once more, which the kernel takes away with everything that is written. */
  readonly handOnCapabilities: (fd: number) => Promise<void>
  readonly close: () => void
}

/**
 * The regular file of that name in a directory; undefined if absent. Node has no calls for extended attributes,
 * so cp(1) of GNU copies them, and says by failing where that cannot be done: then nothing is replaced. Throws a
 * `ReplacementError` for a file with other names, which would keep the old content.
 */
export function openReplaced(directory: Place, name: string): ReplacedFile | undefined {
  const place = findChild(directory, name)
  if (place === undefined) return undefined
  try {
    const { stats } = place
    if (!stats.isFile()) return undefined
    if (stats.nlink > 1) throw new ReplacementError(otherNames(stats.nlink))
    // Only Linux has the attributes in question in this form.
    if (process.platform !== 'linux') return undefined
    const old = openSync(place.handle, constants.O_RDONLY | constants.O_NONBLOCK)
    // Without a bit to be executed by, capabilities are of no effect; only root could have set them again.
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

/** What is said of a file that has several names. */
function otherNames(count: number): string {
  return `it has ${count} names (hard links), and the others would keep the old content; give it a single name first`
}

async function handOn(from: number, to: number, preserve: readonly string[]): Promise<void> {
  const trouble = await copyAttributes([from, to], { preserve, timeoutMs: TIMEOUT_MS })
  if (trouble === undefined) return
  throw new ReplacementError(`its access control list and extended attributes cannot be kept: ${trouble}`)
}
