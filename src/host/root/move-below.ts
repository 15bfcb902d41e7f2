import { copyFileSync, existsSync, mkdirSync, renameSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Files needed for account names in messages and lookups. */
const OF_THE_SYSTEM = ['/etc/passwd', '/etc/group']

/**
 * Moves a directory to the same path below a root that has the accounts of this machine. Returns a function that moves
 * it back.
 */
export function moveBelow(root: string, directory: string): () => void {
  const below = join(root, directory)
  mkdirSync(dirname(below), { recursive: true })
  mkdirSync(join(root, 'etc'), { recursive: true })
  for (const path of OF_THE_SYSTEM) if (existsSync(path)) copyFileSync(path, join(root, path))
  renameSync(directory, below)
  return () => renameSync(below, directory)
}
