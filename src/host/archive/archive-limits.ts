import { ArchiveError } from './archive-error.ts'

/** How much an archive may make of itself. */
export interface ArchiveLimits {
  /** Files, directories and links, those that are only implied by a path included. */
  readonly maxEntries: number
  /** Unpacked bytes; for tar formats the headers count too. */
  readonly maxBytes: number
  /** Unpacked bytes for each byte of the archive. */
  readonly maxRatio: number
}

/** What archives are held to where nothing else is said. */
export const DEFAULT_ARCHIVE_LIMITS: ArchiveLimits = {
  maxEntries: 200_000,
  maxBytes: 10 * 1024 ** 3,
  // Deflate cannot do better than 1032, and what it reaches on real trees is below 100.
  maxRatio: 200,
}

// A small archive of empty space is harmless at any ratio.
const FREE_OF_RATIO_BYTES = 64 * 1024 ** 2

/** Counts what comes out of an archive and throws an `ArchiveError` as soon as it is too much. */
export interface ArchiveMeter {
  readonly countEntry: () => void
  readonly countBytes: (bytes: number) => void
}

/** Starts counting for an archive of that size. */
export function createArchiveMeter(limits: ArchiveLimits, archiveBytes: number): ArchiveMeter {
  let entries = 0
  let total = 0
  return {
    countEntry() {
      if (++entries > limits.maxEntries) throw new ArchiveError(`it has more than ${limits.maxEntries} entries`)
    },
    countBytes(bytes) {
      total += bytes
      if (total > limits.maxBytes) {
        throw new ArchiveError(`it unpacks to more than ${limits.maxBytes} bytes; raise the limit if that is right`)
      }
      if (total > FREE_OF_RATIO_BYTES && total > archiveBytes * limits.maxRatio) {
        throw new ArchiveError(`it unpacks to more than ${limits.maxRatio} times its size, as only traps do`)
      }
    },
  }
}
