import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { reasonOf } from './files.ts'

/** What a directory of the operator holds, links followed; no entries where there is no such directory. */
export type ListedEntries =
  | {
      readonly entries: readonly { readonly name: string; readonly kind: 'file' | 'directory' | 'other' }[] | undefined
    }
  | { readonly reason: string }

/** Lists a directory. */
export function listEntries(directory: string): ListedEntries {
  try {
    if (statSync(directory, { throwIfNoEntry: false })?.isDirectory() !== true) return { entries: undefined }
    return { entries: readdirSync(directory).map((name) => ({ name, kind: kindOf(join(directory, name)) })) }
  } catch (error) {
    return { reason: reasonOf(error) }
  }
}

function kindOf(path: string): 'file' | 'directory' | 'other' {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found?.isDirectory() === true) return 'directory'
  return found?.isFile() === true ? 'file' : 'other'
}
