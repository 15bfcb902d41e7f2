import { unlessAbsent } from '../if-there.ts'
import { posix } from 'node:path'
import { absent, known, type Observation, present, type Reading, type Unknown } from '../../model/observation.ts'
import type { FileStat, TargetFiles, TreeEntry } from '../target.ts'
import { type Names, readExhibitBelow } from '../live/exhibit.ts'
import { describeStats } from '../live/file-stat.ts'
import type { DirectoryEntry } from '../live/list-directory.ts'
import type { MachineFiles, SystemStats } from '../live/machine-files.ts'
import { unreadable } from '../live/system-error.ts'
import { resolvePath } from '../systemd/find-unit.ts'
import type { FileSystemMap } from '../live/trees/file-systems.ts'
import { follow, type Footing } from '../live/walk.ts'

/** What is read from the files alone. */
type FilesAtRest = Omit<TargetFiles, 'readText' | 'list' | 'findHanging'>

/** The files of an offline system, as seen by a process with that root: for `Target`, and for bulk readers. */
export interface RootedFiles {
  readonly bulk: MachineFiles
  readonly target: FilesAtRest
}

/** An open file with its path below the root. */
export interface RootedFooting<Self> extends Footing<Self> {
  readonly path: string
}

/** The source of files: its root, and functions that read an opened path. */
export interface RootedSource<At> {
  /** Opens the root on demand. */
  readonly root: () => At
  /** Drops directories that are kept open between questions. */
  readonly forget?: (() => void) | undefined
  readonly names: (at: At) => readonly string[]
  /** Sorted by bytes. */
  readonly entries: (at: At) => readonly DirectoryEntry[]
  /** Throws a `RefusedFile` if it is larger or not a regular file. */
  readonly whole: (at: At, maxBytes: number) => Buffer
  /** The first bytes of a regular file. */
  readonly head: (at: At, maxBytes: number) => Reading<Uint8Array>
  readonly shown: (at: At, maxBytes: number) => Uint8Array
  readonly digest: (at: At, stat: FileStat, signal: AbortSignal | undefined) => ReturnType<TargetFiles['digest']>
  readonly isEmpty: (at: At) => Reading<boolean>
  readonly tree: (at: At) => Reading<readonly TreeEntry[]>
  readonly mounts: (at: At) => Reading<readonly string[]>
  /** The other file systems below the root; none if undefined. */
  readonly fileSystems?: () => FileSystemMap
  /** Replaces the descriptor path in the detail of a reading by the requested path. */
  readonly named: <Value>(reading: Reading<Value>, at: At, path: string) => Reading<Value>
}

/** Opens files on demand. `names` are those of users and groups, for messages. */
export function openRootedFiles<At extends RootedFooting<At>>(source: RootedSource<At>, names: Names): RootedFiles {
  const { root } = source
  const bulk: MachineFiles = {
    lstat: (path) => unlessAbsent(() => lstatAt(root, path)),
    stat: (path) => unlessAbsent(() => withPlace(root, path, ({ stats }) => stats)),
    names: (path) => withPlace(root, path, source.names),
    entries: (path) => withPlace(root, path, source.entries),
    whole: (path, maxBytes) => withPlace(root, path, (at) => source.whole(at, maxBytes)),
    link: (path) => linkAt(root, path),
  }
  return { bulk, target: looksAt(source, bulk, names) }
}

function looksAt<At extends RootedFooting<At>>(
  source: RootedSource<At>,
  bulk: MachineFiles,
  names: Names,
): FilesAtRest {
  const { root } = source
  const asked = <Value>(path: string, ask: (at: At) => Reading<Value>): Reading<Value> =>
    unlessUnreadable(path, () => withPlace(root, path, (at) => source.named(ask(at), at, path)))
  return {
    lstat: (path) => observeStat(path, () => bulk.lstat(path)),
    stat: (path) => observeStat(path, () => bulk.stat(path)),
    digest: (path, stat, signal) => digestOf(source, path, { stat, signal }),
    readHead: (path, maxBytes) => asked(path, (at) => source.head(at, maxBytes)),
    readExhibit: (path, maxBytes) => readExhibitBelow(root, path, names, (at) => source.shown(at, maxBytes)),
    isDirectoryEmpty: (path) => asked(path, source.isEmpty),
    listTree: (path) => asked(path, source.tree),
    mountsWithin: (path) => asked(path, source.mounts),
    linkTarget: (path) => unlessUnreadable(path, () => known(linkAt(root, path))),
    realPath(path) {
      if (resolvePath(bulk, path, 'last-too') === '/dev/null') return known('/dev/null')
      const found = unlessUnreadable(path, () => known(unlessAbsent(() => withPlace(root, path, (at) => at.path))))
      return found.kind === 'unknown' ? found : known(found.value ?? null)
    },
  }
}

/** Applies `use` to the opened target of a path. Throws the error of the system, or a `RefusedFile`. */
function withPlace<At extends Footing<At>, Value>(root: () => At, path: string, use: (at: At) => Value): Value {
  const place = follow(root, path)
  try {
    return use(place)
  } finally {
    place.close()
  }
}

/** Attributes of the path itself, without following a link at its end. */
function lstatAt<At extends Footing<At>>(root: () => At, path: string): SystemStats {
  const name = posix.basename(path)
  if (name === '' || name === '.' || name === '..') return withPlace(root, path, ({ stats }) => stats)
  return withPlace(root, posix.dirname(path), (directory) => directory.lstat(name))
}

function linkAt<At extends Footing<At>>(root: () => At, path: string): string {
  return withPlace(root, posix.dirname(path), (directory) => directory.linkTarget(posix.basename(path)))
}

interface Digesting {
  readonly stat: FileStat
  readonly signal: AbortSignal | undefined
}

/** The file stays open until a large one has been read completely. */
function digestOf<At extends RootedFooting<At>>(
  source: RootedSource<At>,
  path: string,
  { stat, signal }: Digesting,
): ReturnType<TargetFiles['digest']> {
  let at: At
  try {
    at = follow(source.root, path)
  } catch (error) {
    return unreadable(error, path)
  }
  const digest = source.digest(at, stat, signal)
  if (digest instanceof Promise) {
    return digest.then((answer) => source.named(answer, at, path)).finally(() => at.close())
  }
  at.close()
  return source.named(digest, at, path)
}

function unlessUnreadable<Value>(path: string, read: () => Reading<Value>): Reading<Value> {
  try {
    return read()
  } catch (error) {
    return unreadable(error, path)
  }
}

function observeStat(path: string, look: () => ReturnType<MachineFiles['lstat']>): Observation<FileStat> | Unknown {
  try {
    const stats = look()
    return stats === undefined ? absent() : present(describeStats(stats))
  } catch (error) {
    return unreadable(error, path)
  }
}
