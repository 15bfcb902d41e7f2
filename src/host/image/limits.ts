import { type ArchiveLimits, DEFAULT_ARCHIVE_LIMITS } from '../archive/archive-limits.ts'

/** How much an image may make of itself: as other archives, but the largest have some hundred thousand files. */
export const IMAGE_LIMITS: ArchiveLimits = {
  ...DEFAULT_ARCHIVE_LIMITS,
  maxEntries: 1_000_000,
  maxBytes: 64 * 1024 ** 3,
}
