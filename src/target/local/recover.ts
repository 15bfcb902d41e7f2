import { rmdirSync, unlinkSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { openDirectory } from './open-directory.ts'
import type { Place } from './place.ts'
import { errorCode, writeFailure } from './system-error.ts'
import { isTemporaryName } from './temporary-name.ts'

export type Recovery =
  | { readonly kind: 'removed' }
  | { readonly kind: 'nothing-left' }
  | { readonly kind: 'failed'; readonly message: string }

/** Removes a temporary file or directory that a killed write has left. Anything with another kind of name is kept. */
export function recoverTemporary(path: string): Recovery {
  const attempt = `cannot remove ${path}, left by an earlier fix`
  if (!isTemporaryName(basename(path))) return { kind: 'failed', message: `${attempt}: it has no temporary name` }
  const parent = openDirectory(dirname(path))
  if (parent.kind === 'absent') return { kind: 'nothing-left' }
  if (parent.kind === 'failed') return { kind: 'failed', message: `${attempt}: ${parent.message}` }
  try {
    discard(parent.directory, basename(path))
    return { kind: 'removed' }
  } catch (error) {
    return errorCode(error) === 'ENOENT' ? { kind: 'nothing-left' } : writeFailure(error, attempt)
  } finally {
    parent.directory.close()
  }
}

function discard(directory: Place, name: string): void {
  const place = directory.child(name)
  place.close()
  if (place.stats.isDirectory()) rmdirSync(directory.entry(name))
  else unlinkSync(directory.entry(name))
}
