import { basename, dirname } from 'node:path'
import type { ApplyOutcome } from '../../model/decision.ts'
import { openDirectory } from './open-directory.ts'
import { openRoot, type Place } from './place.ts'
import type { OpenRoot } from './site.ts'
import { writeFailure } from './system-error.ts'

/** What is at a path. */
export interface Held {
  readonly place: Place
  /** The directory in which it is. */
  readonly holder: Place
}

/** Changes what is at a path while it is held, so that nothing can take its place meanwhile; a failure starts with the attempt. */
export function whileHeld(
  path: string,
  attempt: string,
  change: (held: Held) => ApplyOutcome,
  root: OpenRoot = openRoot,
): ApplyOutcome {
  const parent = openDirectory(dirname(path), { root })
  if (parent.kind !== 'open') return { kind: 'failed', message: `${attempt}: ${parent.message}` }
  try {
    const place = path === '/' ? root() : parent.directory.child(basename(path))
    try {
      return change({ place, holder: parent.directory })
    } finally {
      place.close()
    }
  } catch (error) {
    return writeFailure(error, attempt)
  } finally {
    parent.directory.close()
  }
}
