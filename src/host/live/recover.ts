import { basename, dirname } from 'node:path'
import { openDirectory } from './open-directory.ts'
import { remove } from './remove.ts'
import type { OpenRoot } from './site.ts'
import { errorCode, writeFailure } from './system-error.ts'
import { isTemporaryName } from './temporary-name.ts'

export type Recovery =
  | { readonly kind: 'removed' }
  | { readonly kind: 'nothing-left' }
  | { readonly kind: 'failed'; readonly message: string }

/** Removes a temporary file or directory tree that a killed write left behind. Paths without a temporary name are kept. */
export async function recoverTemporary(path: string, root: OpenRoot): Promise<Recovery> {
  const attempt = `cannot remove ${path}, left by an earlier fix`
  if (!isTemporaryName(basename(path)))
    return { kind: 'failed', message: `${attempt}: its name is not a temporary name` }
  const parent = openDirectory(dirname(path), { root })
  if (parent.kind === 'absent') return { kind: 'nothing-left' }
  if (parent.kind === 'failed') return { kind: 'failed', message: `${attempt}: ${parent.message}` }
  try {
    parent.directory.child(basename(path)).close()
  } catch (error) {
    return errorCode(error) === 'ENOENT' ? { kind: 'nothing-left' } : writeFailure(error, attempt)
  } finally {
    parent.directory.close()
  }
  const outcome = await remove(path, { recursive: true, root })
  return outcome.kind === 'done' ? { kind: 'removed' } : { kind: 'failed', message: `${attempt}: ${outcome.message}` }
}
