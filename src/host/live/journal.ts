import type { Place } from './place.ts'

/**
 * Records leftovers of writes that are killed. Each temporary path is recorded before it is created and removed from
 * the record once it is gone, so that the next run can clean up.
 */
export interface Journal {
  record(path: string): void
  forget(path: string): void
  /** Awaited before a temporary file is created in an open directory. Throws the error of the system. */
  beforeStaging?: (directory: Place, path: string) => Promise<void>
  /** Awaited before a file is replaced. Throws a `ReplacementError` if it must not be. */
  beforeReplacing?: () => Promise<void>
}

/** Records nothing: a killed write may leave its temporary file. */
export const NO_JOURNAL: Journal = { record: () => undefined, forget: () => undefined }
