import { posix } from 'node:path'
import { absent, known, type Observation, present, type Reading, type Unknown } from '../../model/observation.ts'
import type { FileStat, Target, TreeEntry } from '../target.ts'
import { type Names, readExhibitBelow } from '../live/exhibit.ts'
import { describeStats } from '../live/file-stat.ts'
import type { DirectoryEntry } from '../live/list-directory.ts'
import type { MachineFiles } from '../live/machine-files.ts'
import { provesAbsence, unreadable } from '../live/system-error.ts'
import { resolvePath } from '../systemd/find-unit.ts'
import type { FileSystemMap } from '../live/trees/file-systems.ts'
import { follow, type Footing } from '../live/walk.ts'

/** The methods of `Target` that look at files. */
export type TargetFiles = Pick<
  Target,
  | 'lstat'
  | 'stat'
  | 'digest'
  | 'readHead'
  | 'readExhibit'
  | 'isDirectoryEmpty'
  | 'listTree'
  | 'mountsWithin'
  | 'linkTarget'
  | 'realPath'
>

/** The files of a system that does not run, as a process sees them whose root they have: for `Target`, and for readers of many. */
export interface RootedFiles {
  readonly bulk: MachineFiles
  readonly target: TargetFiles
}

/** Something that is held while it is looked at, with the path that it has below its root. */
export interface RootedFooting<Self> extends Footing<Self> {
  readonly path: string
}

/** Where the files are: the root from which each path is gone, and what is read of the thing to which it led. */
export interface RootedSource<At> {
  /** Nothing is opened before it is asked. */
  readonly root: () => At
  /** Opens anew what is kept open between two questions. */
  readonly forget?: (() => void) | undefined
  readonly names: (at: At) => readonly string[]
  /** In the order of their bytes. */
  readonly entries: (at: At) => readonly DirectoryEntry[]
  /** Throws a `RefusedFile` for what is larger or no regular file. */
  readonly whole: (at: At, maxBytes: number) => Buffer
  /** The first bytes of a regular file. */
  readonly head: (at: At, maxBytes: number) => Reading<Uint8Array>
  readonly shown: (at: At, maxBytes: number) => Uint8Array
  readonly digest: (at: At, stat: FileStat, signal: AbortSignal | undefined) => ReturnType<Target['digest']>
  readonly isEmpty: (at: At) => Reading<boolean>
  readonly tree: (at: At) => Reading<readonly TreeEntry[]>
  readonly mounts: (at: At) => Reading<readonly string[]>
  /** What other file systems lie below the root; none where it is left out. */
  readonly fileSystems?: () => FileSystemMap
  /** A reading whose sentence names the path that was asked for, and not what it is held by. */
  readonly named: <Value>(reading: Reading<Value>, at: At, path: string) => Reading<Value>
}

/** Opens nothing before it is asked. `names` are those of users and groups, for sentences. */
export function openRootedFiles<At extends RootedFooting<At>>(source: RootedSource<At>, names: Names): RootedFiles {
  const { root } = source
  const bulk: MachineFiles = {
    lstat: (path) => orUndefined(() => holdItself(root, path, ({ stats }) => stats)),
    stat: (path) => orUndefined(() => hold(root, path, ({ stats }) => stats)),
    names: (path) => hold(root, path, source.names),
    entries: (path) => hold(root, path, source.entries),
    whole: (path, maxBytes) => hold(root, path, (at) => source.whole(at, maxBytes)),
    link: (path) => linkAt(root, path),
  }
  return { bulk, target: looksAt(source, bulk, names) }
}

function looksAt<At extends RootedFooting<At>>(
  source: RootedSource<At>,
  bulk: MachineFiles,
  names: Names,
): TargetFiles {
  const { root } = source
  const asked = <Value>(path: string, ask: (at: At) => Reading<Value>): Reading<Value> =>
    unlessUnreadable(path, () => hold(root, path, (at) => source.named(ask(at), at, path)))
  return {
    lstat: (path) => observed(path, () => bulk.lstat(path)),
    stat: (path) => observed(path, () => bulk.stat(path)),
    digest: (path, stat, signal) => digestOf(source, path, { stat, signal }),
    readHead: (path, maxBytes) => asked(path, (at) => source.head(at, maxBytes)),
    readExhibit: (path, maxBytes) => readExhibitBelow(root, path, names, (at) => source.shown(at, maxBytes)),
    isDirectoryEmpty: (path) => asked(path, source.isEmpty),
    listTree: (path) => asked(path, source.tree),
    mountsWithin: (path) => asked(path, source.mounts),
    linkTarget: (path) => unlessUnreadable(path, () => known(linkAt(root, path))),
    realPath(path) {
      if (resolvePath(bulk, path, 'last-too') === '/dev/null') return known('/dev/null')
      const found = unlessUnreadable(path, () => known(orUndefined(() => hold(root, path, (at) => at.path))))
      return found.kind === 'unknown' ? found : known(found.value ?? null)
    },
  }
}

/** Uses what a path leads to while it is held. Throws what the system does, and `RefusedFile`. */
function hold<At extends Footing<At>, Value>(root: () => At, path: string, use: (at: At) => Value): Value {
  const place = follow(root, path)
  try {
    return use(place)
  } finally {
    place.close()
  }
}

/** The same for the thing at the path itself. */
function holdItself<At extends Footing<At>, Value>(root: () => At, path: string, use: (at: At) => Value): Value {
  const name = posix.basename(path)
  if (name === '' || name === '.' || name === '..') return hold(root, path, use)
  return hold(root, posix.dirname(path), (directory) => {
    const place = directory.child(name)
    try {
      return use(place)
    } finally {
      place.close()
    }
  })
}

function linkAt<At extends Footing<At>>(root: () => At, path: string): string {
  return hold(root, posix.dirname(path), (directory) => directory.linkTarget(posix.basename(path)))
}

interface Digesting {
  readonly stat: FileStat
  readonly signal: AbortSignal | undefined
}

/** The file is held until a large one has been read to its end. */
function digestOf<At extends RootedFooting<At>>(
  source: RootedSource<At>,
  path: string,
  { stat, signal }: Digesting,
): ReturnType<Target['digest']> {
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

function observed(path: string, look: () => ReturnType<MachineFiles['lstat']>): Observation<FileStat> | Unknown {
  try {
    const stats = look()
    return stats === undefined ? absent() : present(describeStats(stats))
  } catch (error) {
    return unreadable(error, path)
  }
}

/** What is proved not to be there is undefined. */
function orUndefined<Value>(ask: () => Value): Value | undefined {
  try {
    return ask()
  } catch (error) {
    if (provesAbsence(error)) return undefined
    throw error
  }
}
