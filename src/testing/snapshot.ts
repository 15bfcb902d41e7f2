import { join } from 'node:path'
import type { Target } from '../host/target.ts'

/** The state of every path in a directory, including the directory, for comparison only. */
export type Snapshot = ReadonlyMap<string, string>

/**
 * Snapshot of a directory. It reveals every write, even one that is reverted, because the change time of an inode
 * cannot be set. Reads do not show.
 */
export async function takeSnapshot(target: Target, directory: string): Promise<Snapshot> {
  const tree = target.files.listTree(directory)
  if (tree.kind === 'unknown') throw new Error(`cannot compare the directory of a scene: ${tree.detail}`)
  const snapshot = new Map<string, string>()
  for (const path of ['', ...tree.value.map((entry) => entry.path)]) {
    const full = join(directory, path)
    const seen = target.files.lstat(full)
    if (seen.kind !== 'present') continue
    const digest = seen.state.kind === 'file' ? await target.files.digest(full, seen.state) : undefined
    snapshot.set(path, JSON.stringify([seen.state, digest]))
  }
  return snapshot
}

/** The paths that differ between two snapshots. */
export function changedPaths(before: Snapshot, after: Snapshot): readonly string[] {
  const paths = new Set([...before.keys(), ...after.keys()])
  return [...paths].filter((path) => before.get(path) !== after.get(path)).map((path) => (path === '' ? '.' : path))
}
