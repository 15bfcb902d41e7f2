import { posix } from 'node:path'
import { readUpTo } from '../live/exhibit.ts'
import { readDigest, readDirectoryEmpty, readFileHead } from '../live/file-reader.ts'
import { listEntries, listNames } from '../live/list-directory.ts'
import { mountsWithin } from '../live/mounts.ts'
import { readPlace } from '../live/read-whole.ts'
import { type MountedLayers, readMounts } from '../live/remote-mounts.ts'
import { readTree } from '../live/tree-reader.ts'
import { openFileSystems } from '../live/trees/file-systems.ts'
import type { RootedSource } from './files.ts'
import type { HeldDirectories } from './held-directories.ts'
import { openRootPlace, type RootedPlace } from './root-place.ts'
import { withoutUnmounted } from './unmounted.ts'

/** The files below a root directory. With `held`, directories stay open for a while; only for readers. */
export function directorySource(root: string, held?: HeldDirectories): RootedSource<RootedPlace> {
  return withoutUnmounted<RootedPlace>({
    root: held?.root ?? (() => openRootPlace(root)),
    forget: held?.forget,
    names: ({ handle }) => listNames(handle),
    entries: ({ handle }) => listEntries(handle),
    whole: readPlace,
    head: ({ handle }, maxBytes) => readFileHead(handle, maxBytes),
    shown: ({ handle }, maxBytes) => readUpTo(handle, maxBytes),
    digest: ({ handle }, stat, signal) => readDigest(handle, stat, signal),
    isEmpty: ({ handle }) => readDirectoryEmpty(handle),
    tree: ({ handle }) => readTree(handle),
    // The mount table has the paths of this machine.
    mounts: ({ path }) => mountsWithin(posix.join(root, path)),
    fileSystems: () => openFileSystems(() => mountsBelow(root)),
    named: (reading, { handle }, path) =>
      reading.kind === 'unknown' ? { ...reading, detail: reading.detail.replaceAll(handle, () => path) } : reading,
  })
}

/** The mount table with paths below the root. */
function mountsBelow(root: string): readonly MountedLayers[] {
  return readMounts().flatMap((mount) => {
    if (mount.point === root) return [{ ...mount, point: '/' }]
    return mount.point.startsWith(`${root}/`) ? [{ ...mount, point: mount.point.slice(root.length) }] : []
  })
}
