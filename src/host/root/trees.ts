import { posix } from 'node:path'
import type { FileSystemMap } from '../live/trees/file-systems.ts'
import type { OpenDirectory } from '../live/trees/listing.ts'
import { type OpenTrees, openFileTrees, type TreeGround } from '../live/trees/trees.ts'
import { provesAbsence, unreadable } from '../live/system-error.ts'
import { type Unknown, unknown } from '../../model/observation.ts'
import { describeStats } from '../live/file-stat.ts'
import type { SystemStats } from '../live/machine-files.ts'
import type { RootedFiles, RootedFooting, RootedSource } from './files.ts'
import { VOLATILE } from './root-place.ts'
import { follow } from '../live/walk.ts'

/** Trees of an offline system. Each directory is held open while its entries are read. */
export function openTreesAtRest<At extends RootedFooting<At>>(
  source: RootedSource<At>,
  { bulk, target }: RootedFiles,
): OpenTrees {
  const ground: TreeGround = {
    realPath: target.realPath,
    lstat(path) {
      const stats = bulk.lstat(path)
      if (stats === undefined) throw Object.assign(new Error('it no longer exists'), { code: 'ENOENT', errno: -2 })
      return stats
    },
    open: (path, node) => openDirectory(source, path, node),
    fileSystems: () => withVolatile(source.fileSystems?.() ?? NOTHING_MOUNTED),
  }
  return openFileTrees({ ground })
}

/** For sources without mounts, such as images. */
const NOTHING_MOUNTED: FileSystemMap = {
  typeAt: () => undefined,
  foreignAt: () => undefined,
  silentIn: () => undefined,
  hasTwins: false,
}

/** Skips directories that only a running system fills, and reports them as other file systems are. */
function withVolatile(map: FileSystemMap): FileSystemMap {
  const why = new Map([...VOLATILE].map((name) => [name, 'populated only on a running system']))
  return {
    ...map,
    silentIn: (path) => (path === '/' ? new Map([...(map.silentIn(path) ?? []), ...why]) : map.silentIn(path)),
  }
}

function openDirectory<At extends RootedFooting<At>>(
  source: RootedSource<At>,
  path: string,
  { device, inode }: Parameters<OpenDirectory>[1],
): ReturnType<OpenDirectory> {
  let at: At
  try {
    at = follow(source.root, path)
  } catch (error) {
    return provesAbsence(error) ? EMPTY : unreadable(error, path)
  }
  try {
    if (at.stats.dev !== device || at.stats.ino !== inode || at.path !== path) {
      at.close()
      return unknown('not-observable', `${path} was replaced during the scan`)
    }
    return {
      names: source.names(at),
      lookAt: (name) => lookAt(at, name, posix.join(path, name)),
      close: () => at.close(),
    }
  } catch (error) {
    at.close()
    return unreadable(error, path)
  }
}

const EMPTY = { names: [], lookAt: () => undefined, close: () => undefined } as const

function lookAt<At extends RootedFooting<At>>(at: At, name: string, path: string): SystemStats | Unknown | undefined {
  try {
    const stats = at.lstat(name)
    // Mode and owner of a directory of an image may be disputed, which shows only on access.
    describeStats(stats)
    return stats
  } catch (error) {
    return provesAbsence(error) ? undefined : unreadable(error, path)
  }
}
