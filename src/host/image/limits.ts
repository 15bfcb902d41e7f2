import { type ArchiveLimits, DEFAULT_ARCHIVE_LIMITS } from '../archive/archive-limits.ts'

/** Limits of images: larger than those of other archives, since the largest images have some hundred thousand files. */
export const IMAGE_LIMITS: ArchiveLimits = {
  ...DEFAULT_ARCHIVE_LIMITS,
  maxEntries: 1_000_000,
  maxBytes: 64 * 1024 ** 3,
}
