import { closeSync, openSync } from 'node:fs'
import { posix } from 'node:path'
import { absent, known, type Observation, present, type Reading, type Unknown } from '../../../core/observation.ts'
import type { FileStat, Target } from '../../target.ts'
import { readExhibit } from '../exhibit.ts'
import { describeStats, readDigest, readDirectoryEmpty, readFileHead } from '../file-reader.ts'
import { listEntries, listNames } from '../list-directory.ts'
import type { MachineFiles } from '../machine-files.ts'
import { mountsWithin } from '../mounts.ts'
import { readDescriptor } from '../read-whole.ts'
import { provesAbsence, RefusedFile, unreadable } from '../system-error.ts'
import { resolvePath } from '../systemd/find-unit.ts'
import { readTree } from '../tree-reader.ts'
import { MAX_LINKS, type Step, walk } from '../walk.ts'
import { openRootPlace, type RootedPlace } from './root-place.ts'

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

/** The files below a root directory, as a process sees them whose root it is: for `Target`, and for readers of many. */
export interface RootedFiles {
  readonly bulk: MachineFiles
  readonly target: TargetFiles
}

/** Opens nothing before it is asked. `names` are those of users and groups, for sentences. */
export function openRootedFiles(root: string, names: Pick<Target, 'userName' | 'groupName'>): RootedFiles {
  const bulk: MachineFiles = {
    lstat: (path) => orUndefined(() => holdItself(root, path, ({ stats }) => stats)),
    stat: (path) => orUndefined(() => hold(root, path, ({ stats }) => stats)),
    names: (path) => hold(root, path, ({ handle }) => listNames(handle)),
    entries: (path) => hold(root, path, ({ handle }) => listEntries(handle)),
    whole: (path, maxBytes) => hold(root, path, (place) => readPlace(place, maxBytes)),
    link: (path) => linkAt(root, path),
  }
  return { bulk, target: { ...looksAt(root, bulk), readExhibit: exhibitsOf(root, names) } }
}

function looksAt(root: string, bulk: MachineFiles): Omit<TargetFiles, 'readExhibit'> {
  const asked = <Value>(path: string, ask: (place: RootedPlace) => Reading<Value>): Reading<Value> =>
    unlessUnreadable(path, () => hold(root, path, (place) => named(ask(place), place, path)))
  return {
    lstat: (path) => observed(path, () => bulk.lstat(path)),
    stat: (path) => observed(path, () => bulk.stat(path)),
    digest: (path, stat, signal) => digestOf(root, path, { stat, signal }),
    readHead: (path, maxBytes) => asked(path, ({ handle }) => readFileHead(handle, maxBytes)),
    isDirectoryEmpty: (path) => asked(path, ({ handle }) => readDirectoryEmpty(handle)),
    listTree: (path) => asked(path, ({ handle }) => readTree(handle)),
    // The table of mounts has the paths that this machine has for them.
    mountsWithin: (path) => asked(path, (place) => mountsWithin(posix.join(root, place.path))),
    linkTarget: (path) => unlessUnreadable(path, () => known(linkAt(root, path))),
    realPath(path) {
      if (resolvePath(bulk, path, 'last-too') === '/dev/null') return known('/dev/null')
      const found = unlessUnreadable(path, () => known(orUndefined(() => hold(root, path, (place) => place.path))))
      return found.kind === 'unknown' ? found : known(found.value ?? null)
    },
  }
}

function exhibitsOf(root: string, names: Pick<Target, 'userName' | 'groupName'>): Target['readExhibit'] {
  return (path, maxBytes) => readExhibit(path, maxBytes, { names, root: () => openRootPlace(root) })
}

/** Uses what a path leads to while it is held. Throws what the system does, and `RefusedFile`. */
function hold<Value>(root: string, path: string, use: (place: RootedPlace) => Value): Value {
  const place = reach(root, path)
  try {
    return use(place)
  } finally {
    place.close()
  }
}

/** The same for the thing at the path itself. */
function holdItself<Value>(root: string, path: string, use: (place: RootedPlace) => Value): Value {
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

function reach(root: string, path: string): RootedPlace {
  const walked = walk(path, refuseCircles, { root: () => openRootPlace(root) })
  // What judges the steps stops none of them.
  if (walked.kind === 'stopped') throw new Error('the walk was stopped')
  return walked.place as RootedPlace
}

function refuseCircles({ links }: Step): undefined {
  if (links >= MAX_LINKS) throw Object.assign(new Error('too many links'), { code: 'ELOOP', errno: -40 })
}

function linkAt(root: string, path: string): string {
  return hold(root, posix.dirname(path), (directory) => directory.linkTarget(posix.basename(path)))
}

/** Only a regular file is ever opened. */
function readPlace({ stats, handle }: RootedPlace, maxBytes: number): Buffer {
  if (!stats.isFile()) throw new RefusedFile(stats.isDirectory() ? 'it is a directory' : 'it is no regular file')
  const descriptor = openSync(handle, 'r')
  try {
    return readDescriptor(descriptor, maxBytes)
  } finally {
    closeSync(descriptor)
  }
}

interface Digesting {
  readonly stat: FileStat
  readonly signal: AbortSignal | undefined
}

/** The file is held until a large one has been read to its end. */
function digestOf(root: string, path: string, { stat, signal }: Digesting): ReturnType<Target['digest']> {
  let place: RootedPlace
  try {
    place = reach(root, path)
  } catch (error) {
    return unreadable(error, path)
  }
  const digest = readDigest(place.handle, stat, signal)
  if (digest instanceof Promise) {
    return digest.then((answer) => named(answer, place, path)).finally(() => place.close())
  }
  place.close()
  return named(digest, place, path)
}

/** A reading whose sentence names the path that was asked for, and not the descriptor. */
function named<Value>(reading: Reading<Value>, { handle }: RootedPlace, path: string): Reading<Value> {
  return reading.kind === 'unknown' ? { ...reading, detail: reading.detail.replaceAll(handle, () => path) } : reading
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
