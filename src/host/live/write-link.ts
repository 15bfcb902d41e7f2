import { renameSync, symlinkSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { ApplyOutcome } from '../../model/decision.ts'
import { createMissingDirectories } from './create-directory.ts'
import { flush } from './flush.ts'
import { openDirectory } from './open-directory.ts'
import type { Site } from './site.ts'
import { writeFailure } from './system-error.ts'
import { temporaryName } from './temporary-name.ts'

const DIRECTORY = { defaultMode: 0o755 } as const

/** Creates a symbolic link and missing parent directories. An existing link is replaced atomically. */
export function writeLink(path: string, target: string, { root, journal }: Site): ApplyOutcome {
  const attempt = `cannot make the link ${path}`
  const made = createMissingDirectories(dirname(path), DIRECTORY, root)
  if (made.kind === 'failed') return made
  const parent = openDirectory(dirname(path), { root })
  if (parent.kind !== 'open') return { kind: 'failed', message: `${attempt}: ${parent.message}` }
  const { directory } = parent
  const name = temporaryName(basename(path))
  const temporary = join(dirname(path), name)
  journal.record(temporary)
  try {
    symlinkSync(target, directory.entry(name))
    renameSync(directory.entry(name), directory.entry(basename(path)))
    journal.forget(temporary)
    flush(directory)
    return { kind: 'done' }
  } catch (error) {
    return writeFailure(error, attempt)
  } finally {
    directory.close()
  }
}
