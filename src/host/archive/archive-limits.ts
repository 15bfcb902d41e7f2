import { ArchiveError } from './archive-error.ts'

/** Limits against decompression bombs. */
export interface ArchiveLimits {
  /** Files, directories and links, including directories that only a path implies. */
  readonly maxEntries: number
  /** Unpacked bytes; for tar formats including headers. */
  readonly maxBytes: number
  /** Unpacked bytes per byte of the archive. */
  readonly maxRatio: number
}

export const DEFAULT_ARCHIVE_LIMITS: ArchiveLimits = {
  maxEntries: 200_000,
  maxBytes: 10 * 1024 ** 3,
  // The maximum of deflate is 1032; real trees stay below 100.
  maxRatio: 200,
}

// A small archive of zeros is harmless at any ratio.
const FREE_OF_RATIO_BYTES = 64 * 1024 ** 2

/** Counts the output of an archive. Throws an `ArchiveError` as soon as it exceeds a limit. */
export interface ArchiveMeter {
  readonly countEntry: () => void
  readonly countBytes: (bytes: number) => void
}

/** Makes a meter for an archive of that size. */
export function createArchiveMeter(limits: ArchiveLimits, archiveBytes: number): ArchiveMeter {
  let entries = 0
  let total = 0
  return {
    countEntry() {
      if (++entries > limits.maxEntries)
        throw new ArchiveError(`the archive has more than ${limits.maxEntries} entries`)
    },
    countBytes(bytes) {
      total += bytes
      if (total > limits.maxBytes) {
        throw new ArchiveError(
          `the archive unpacks to more than ${limits.maxBytes} bytes; raise the limit if this is expected`,
        )
      }
      if (total > FREE_OF_RATIO_BYTES && total > archiveBytes * limits.maxRatio) {
        throw new ArchiveError(
          `the archive unpacks to more than ${limits.maxRatio} times its size, like a decompression bomb`,
        )
      }
    },
  }
}
