import { chmodSync, closeSync, constants, mkdirSync, openSync } from 'node:fs'
import type { Place } from '../../../host/live/place.ts'
import { runCp } from '../../../host/live/run-cp.ts'
import { ArchiveError } from '../../../host/archive/archive-error.ts'
import { withChild } from './descend.ts'
import { keep, namesIn, withExisting } from './move-into-place.ts'

const TIMEOUT_MS = 60_000

const DIRECTORY_FLAGS = constants.O_RDONLY | constants.O_DIRECTORY

/** Staged file that replaces another one, with its own mode. */
interface Replacing {
  readonly path: readonly string[]
  readonly mode: number
}

/** Staging and destination directories, and an empty directory for hard links to replaced files. */
export interface HandingOn {
  readonly staged: Place
  readonly destination: Place
  readonly replaced: Place
}

/**
 * Copies access control lists, extended attributes and capabilities of replaced files to the staged ones, but keeps the staged
 * modes. A single cp(1) copies all: replaced files get hard links with the paths of the new ones, so that no process can swap
 * them in the meantime. A file that cannot be linked passes on no attributes.
 */
export async function handOnAttributes({ staged, destination, replaced }: HandingOn): Promise<void> {
  // Only Linux has these attributes in this form.
  if (process.platform !== 'linux') return
  const replacing = mirror({ staged, destination, replaced }, [])
  if (replacing.length === 0) return
  const from = openSync(replaced.handle, DIRECTORY_FLAGS)
  const to = openSync(staged.handle, DIRECTORY_FLAGS)
  try {
    const words = ['--recursive', '--no-target-directory', '--attributes-only', '--']
    const trouble = await runCp({
      preserve: ['mode', 'xattr'],
      args: [...words, '/proc/self/fd/3/.', '/proc/self/fd/4/.'],
      descriptors: [from, to],
      timeoutMs: TIMEOUT_MS,
    })
    if (trouble !== undefined) {
      throw new ArchiveError(
        `cannot keep the access control lists and extended attributes of the existing files: ${trouble}`,
      )
    }
  } finally {
    closeSync(from)
    closeSync(to)
  }
  for (const { path, mode } of replacing) withChild(staged, path, (place) => chmodSync(place.handle, mode))
}

function mirror({ staged, destination, replaced }: HandingOn, path: readonly string[]): readonly Replacing[] {
  const found: Replacing[] = []
  for (const name of namesIn(staged)) {
    const inside = [...path, name]
    withExisting(destination, name, (existing) => {
      if (existing === undefined) return
      withChild(staged, [name], (entry) => {
        if (entry.stats.isDirectory() && existing.stats.isDirectory()) {
          mkdirSync(replaced.entry(name), { mode: 0o700 })
          withChild(replaced, [name], (below) => {
            found.push(...mirror({ staged: entry, destination: existing, replaced: below }, inside))
          })
        } else if (entry.stats.isFile() && existing.stats.isFile()) {
          if (!keep(destination.entry(name), replaced.entry(name))) return
          withChild(replaced, [name], ({ stats }) => {
            if (!stats.isFile())
              throw new ArchiveError(`${JSON.stringify(inside.join('/'))} was replaced during the fix`)
          })
          const mode = entry.stats.mode & 0o777
          // The owner must be able to open it for writing.
          chmodSync(entry.handle, mode | 0o600)
          found.push({ path: inside, mode })
        }
      })
    })
  }
  return found
}
