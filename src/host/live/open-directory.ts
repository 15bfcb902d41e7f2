import type { Place } from './place.ts'
import { errorCode, writeFailure } from './system-error.ts'
import { isOursAlone, isTrusted } from './trust.ts'
import { MAX_LINKS, type Step, walk, type WalkOptions } from './walk.ts'

/** A directory that was reached safely, or why it was not. `absent`: it is proved that there is no such directory. */
export type DirectoryResult =
  | { readonly kind: 'open'; readonly directory: Place }
  | { readonly kind: 'absent'; readonly message: string }
  | { readonly kind: 'failed'; readonly message: string }

/**
 * Opens a directory for writing in it, component by component. A symbolic link on the way is followed only if the link
 * and the directory that holds it belong to root or the running user and no other user can write there. A sticky
 * directory such as /tmp counts as writable by others, because any user can put a link there.
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
  if (links >= MAX_LINKS) return { kind: 'failed', message: `"${path}" leads through too many symbolic links` }
  if (!entry.stats.isSymbolicLink()) return { kind: 'absent', message: `"${path}" is not a directory` }
  const safe = isTrusted(entry.stats.uid) && isOursAlone(holder.stats)
  if (safe) return undefined
  const message = `"${path}" leads through the symbolic link "${name}", which other users could change; name the real path`
  return { kind: 'failed', message }
}
