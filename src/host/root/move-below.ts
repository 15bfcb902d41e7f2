import { copyFileSync, existsSync, mkdirSync, renameSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** What sentences and lookups need of a system. */
const OF_THE_SYSTEM = ['/etc/passwd', '/etc/group']

/** Moves a directory to its own path below a root that has the accounts of this machine; gives back where it was. */
export function moveBelow(root: string, directory: string): () => void {
  const below = join(root, directory)
  mkdirSync(dirname(below), { recursive: true })
  mkdirSync(join(root, 'etc'), { recursive: true })
  for (const path of OF_THE_SYSTEM) if (existsSync(path)) copyFileSync(path, join(root, path))
  renameSync(directory, below)
  return () => renameSync(below, directory)
}
