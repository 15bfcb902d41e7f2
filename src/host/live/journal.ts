import type { Place } from './place.ts'

/**
 * Remembers what a write leaves behind if it is killed. Each temporary path is recorded before it is created and
 * forgotten once it is gone, so that the next run can take away what a killed one left.
 */
export interface Journal {
  record(path: string): void
  forget(path: string): void
  /** Awaited before a temporary file is made in a directory, which is held. Throws the system's error. */
  beforeStaging?: (directory: Place, path: string) => Promise<void>
  /** Awaited before something takes the place of what is there. Throws a `ReplacementError` where it must not. */
  beforeReplacing?: () => Promise<void>
}

/** Remembers nothing: a killed write may leave its temporary file. */
export const NO_JOURNAL: Journal = { record: () => undefined, forget: () => undefined }
