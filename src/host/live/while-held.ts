import { basename, dirname } from 'node:path'
import type { ApplyOutcome } from '../../model/decision.ts'
import { openDirectory } from './open-directory.ts'
import { openRoot, type Place } from './place.ts'
import type { OpenRoot } from './site.ts'
import { writeFailure } from './system-error.ts'

/** An opened path. */
export interface Held {
  readonly place: Place
  /** Its directory. */
  readonly holder: Place
}

/** Changes a path while it is held open, so that it cannot be replaced meanwhile; `attempt` starts the message of a failure. */
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
