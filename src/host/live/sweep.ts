import { lstatSync, readdirSync, type Stats, statSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { nameFromBytes } from './file-name.ts'
import type { Place } from './place.ts'
import { recoverTemporary } from './recover.ts'
import type { OpenRoot } from './site.ts'
import { errorCode } from './system-error.ts'
import { isTemporaryName } from './temporary-name.ts'

/**
 * Removes unrecorded leftovers of this user's writes from a directory, as after a power failure: temporary names that
 * no process has open. Resolves to the removed paths. Throws the error of the system.
 */
export async function sweepTemporaries(
  directory: Place,
  path: string,
  { root, recorded }: { readonly root: OpenRoot; readonly recorded: readonly string[] },
): Promise<readonly string[]> {
  const left = readdirSync(directory.handle, { encoding: 'buffer' })
    .map(nameFromBytes)
    .filter((name) => isTemporaryName(name) && !recorded.includes(join(path, name)) && isOurs(directory, name))
  const removed: string[] = []
  for (const name of left) {
    const outcome = await recoverTemporary(join(path, name), root)
    if (outcome.kind === 'removed') removed.push(join(path, name))
  }
  return removed
}

function isOurs(directory: Place, name: string): boolean {
  // Not opened: an open file would count as in use.
  const stats = lstatSync(directory.entry(name), { throwIfNoEntry: false })
  return stats !== undefined && stats.uid === process.geteuid?.() && !isOpen(stats)
}

/** Whether a process has it open, such as this process its report. */
function isOpen({ dev, ino }: Stats): boolean {
  const processes = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return processes.some((pid) =>
    openFiles(`/proc/${pid}/fd`).some((path) => {
      const stats = unlessGone(() => statSync(path))
      return stats?.dev === dev && stats.ino === ino
    }),
  )
}

function openFiles(directory: string): readonly string[] {
  return unlessGone(() => readdirSync(directory).map((name) => join(directory, name))) ?? []
}

/** Undefined if the process has ended or belongs to another user, who cannot have this user's private files open. */
function unlessGone<Value>(read: () => Value): Value | undefined {
  try {
    return read()
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    return undefined
  }
}
