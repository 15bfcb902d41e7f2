import { unlessAbsent } from '../../../host/if-there.ts'
import { basename } from 'node:path'
import { unitKind } from '../../../host/systemd/unit-name.ts'
import type { MachineFiles } from '../../../host/live/machine-files.ts'
import { resolvePath } from '../../../host/systemd/find-unit.ts'
import { PERSISTENT_DIRECTORY } from '../../../host/systemd/place.ts'

/**
 * Finds every link in the administrator's directories, or below another directory, that has one of these names or paths or
 * leads to one, and every link to such a link. Adds their paths to the set.
 */
export function linksTo(
  files: MachineFiles,
  marked: Set<string>,
  directory: string = PERSISTENT_DIRECTORY,
): readonly string[] {
  const links = linksBelow(files, directory)
  const removed = new Set<string>()
  const left: MachineFiles = {
    ...files,
    link(path) {
      if (removed.has(path)) throw Object.assign(new Error('it was removed'), { code: 'ENOENT', errno: -2 })
      return files.link(path)
    },
  }
  for (let before = -1; before !== removed.size;) {
    before = removed.size
    for (const path of links) {
      if (removed.has(path)) continue
      const target = resolvePath(left, path, 'last-too')
      if (target === undefined || ![target, basename(target), basename(path)].some((each) => marked.has(each))) continue
      removed.add(path)
      marked.add(path)
    }
  }
  return [...removed]
}

function linksBelow(files: MachineFiles, directory: string): readonly string[] {
  const entries = unlessAbsent(() => files.entries(directory)) ?? []
  return entries.flatMap(({ name, kind }) => {
    const path = `${directory}/${name}`
    if (kind === 'directory') return linksBelow(files, path)
    return kind === 'symlink' && unitKind(name) !== undefined ? [path] : []
  })
}
