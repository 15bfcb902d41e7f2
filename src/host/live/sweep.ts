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
 * Removes what writes of this user have left in a directory without a record, as a power failure does: names of the temporary kind that
 * no process has open. The removed paths. Throws the system's error.
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
  // Held open it would count as written to.
  const stats = lstatSync(directory.entry(name), { throwIfNoEntry: false })
  return stats !== undefined && stats.uid === process.geteuid?.() && !isOpen(stats)
}

/** Whether a process writes to it at this moment, such as this one its report. */
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

/** A process that has ended has nothing open, and one of another user no file that is ours alone to write. */
function unlessGone<Value>(read: () => Value): Value | undefined {
  try {
    return read()
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    return undefined
  }
}
