import type { Place } from './place.ts'
import { errorCode, writeFailure } from './system-error.ts'
import { isOursAlone, isTrusted } from './trust.ts'
import { MAX_LINKS, type Step, walk, type WalkOptions } from './walk.ts'

/** A safely opened directory, or why it could not be opened. `absent`: the directory is proven not to exist. */
export type DirectoryResult =
  | { readonly kind: 'open'; readonly directory: Place }
  | { readonly kind: 'absent'; readonly message: string }
  | { readonly kind: 'failed'; readonly message: string }

/**
 * Opens a directory for writing, component by component. A symbolic link on the path is followed only if the link and
 * its directory belong to root or the running user and no other user can write to the directory. A sticky directory
 * such as /tmp counts as writable by others, because any user can create links in it.
 */
export function openDirectory(path: string, options: WalkOptions = {}): DirectoryResult {
  try {
    const walked = walk(path, (step) => refuseStep(path, step), options)
    return walked.kind === 'stopped' ? walked.stop : { kind: 'open', directory: walked.place }
  } catch (error) {
    if (errorCode(error) === 'ENOENT')
      return { kind: 'absent', message: `"${path}" is not a directory: it does not exist` }
    return writeFailure(error, `cannot open directory ${path}`)
  }
}

type Trouble = Exclude<DirectoryResult, { kind: 'open' }>

function refuseStep(path: string, { name, holder, entry, links }: Step): Trouble | undefined {
  if (entry.stats.isDirectory()) return undefined
  if (links >= MAX_LINKS) return { kind: 'failed', message: `"${path}" contains too many symbolic links` }
  if (!entry.stats.isSymbolicLink()) return { kind: 'absent', message: `"${path}" is not a directory` }
  const safe = isTrusted(entry.stats.uid) && isOursAlone(holder.stats)
  if (safe) return undefined
  const message = `"${path}" contains the symbolic link "${name}", which other users can change; use the real path`
  return { kind: 'failed', message }
}
