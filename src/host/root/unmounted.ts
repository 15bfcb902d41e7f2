import { posix } from 'node:path'
import { unknown } from '../../model/observation.ts'
import { type FstabEntry, isMountedAtStart, parseFstab } from '../../subjects/mounts/fstab.ts'
import { provesAbsence, RefusedFile, unreadable } from '../live/system-error.ts'
import { follow } from '../live/walk.ts'
import type { RootedFooting, RootedSource } from './files.ts'

/**
 * Empty mount points of file systems that are mounted at boot, with their line in fstab, and the first of them at or
 * below each path; or why they are unknown.
 */
type Unmounted =
  | {
      readonly kind: 'known'
      readonly lines: ReadonlyMap<string, number>
      readonly firstBelow: ReadonlyMap<string, string>
    }
  | { readonly kind: 'unknown'; readonly detail: string }

const FSTAB = '/etc/fstab'
const LARGEST_BYTES = 1024 * 1024

/**
 * The files without those of file systems that are mounted at boot but not below the root: their empty mount point says
 * nothing about their content. If the mount point is not empty, all files are in one tree, as in a copy.
 */
export function withoutUnmounted<At extends RootedFooting<At>>(source: RootedSource<At>): RootedSource<At> {
  let found: Unmounted | undefined
  const unmounted = (): Unmounted => (found ??= findUnmounted(source))
  return {
    ...source,
    root() {
      const lost = unmounted()
      const root = source.root()
      return lost.kind === 'known' && lost.lines.size === 0 ? root : guardUnmounted(root, lost)
    },
    tree(at) {
      const why = whyUnknownBelow(unmounted(), at.path)
      return why === undefined ? source.tree(at) : unknown('not-observable', why)
    },
  }
}

function guardUnmounted<At extends RootedFooting<At>>(at: At, lost: Unmounted): At {
  function reach<Value>(name: string, ask: () => Value): Value {
    const path = posix.join(at.path, name)
    if (lost.kind === 'known' && lost.lines.has(path)) throw new RefusedFile(whyUnknownBelow(lost, path) ?? '')
    try {
      return ask()
    } catch (error) {
      const why = provesAbsence(error) ? whyUnknownBelow(lost, path) : undefined
      throw why === undefined ? error : new RefusedFile(why)
    }
  }
  return {
    ...at,
    child: (name: string) => reach(name, () => guardUnmounted(at.child(name), lost)),
    lstat: (name: string) => reach(name, () => at.lstat(name)),
  }
}

/** Why a path, or something below it, is unknown; undefined if it is known. */
function whyUnknownBelow(lost: Unmounted, path: string): string | undefined {
  if (lost.kind === 'unknown') return `the mounts are unknown: ${lost.detail}`
  const point = lost.firstBelow.get(path)
  if (point === undefined) return undefined
  const line = lost.lines.get(point)
  return `the file system of ${point} is not mounted below the target, but is mounted at boot (${FSTAB}:${line})`
}

/** The first of these paths at or below each path. */
function findFirstBelow(points: Iterable<string>): ReadonlyMap<string, string> {
  const first = new Map<string, string>()
  for (const point of points) {
    for (let path = point; !first.has(path); path = posix.dirname(path)) first.set(path, point)
  }
  return first
}

function findUnmounted<At extends RootedFooting<At>>(source: RootedSource<At>): Unmounted {
  try {
    const entries = parseFstab(readFstab(source)).filter((entry) => isMountedAtStart(entry) && isKept(entry))
    const lost = entries.flatMap(({ point, line }) => {
      const path = emptyPlace(source, point)
      return path === undefined || path === '/' ? [] : [[path, line] as const]
    })
    const lines = new Map(lost)
    return { kind: 'known', lines, firstBelow: findFirstBelow(lines.keys()) }
  } catch (error) {
    return { kind: 'unknown', detail: unreadable(error, FSTAB).detail }
  }
}

function readFstab<At extends RootedFooting<At>>(source: RootedSource<At>): string {
  const fstab = ifThere(() => follow(source.root, FSTAB))
  if (fstab === undefined) return ''
  try {
    return source.whole(fstab, LARGEST_BYTES).toString('utf8')
  } finally {
    fstab.close()
  }
}

/** Whether it keeps files while the system is not running. A tmpfs is as empty as its mount point. */
function isKept({ fstype }: FstabEntry): boolean {
  return fstype !== 'tmpfs' && fstype !== 'ramfs'
}

/** The path of an empty mount point; undefined if it has files or does not exist. */
function emptyPlace<At extends RootedFooting<At>>(source: RootedSource<At>, point: string): string | undefined {
  const place = ifThere(() => unlessVolatile(() => follow(source.root, point)), point)
  if (place === undefined || typeof place === 'string') return place
  try {
    if (!place.stats.isDirectory() || source.names(place).length > 0) return undefined
    const above = follow(source.root, posix.dirname(place.path))
    above.close()
    return above.stats.dev === place.stats.dev ? place.path : undefined
  } finally {
    place.close()
  }
}

/** Volatile directories are unknown anyway. */
function unlessVolatile<Value>(look: () => Value): Value | undefined {
  try {
    return look()
  } catch (error) {
    if (error instanceof RefusedFile) return undefined
    throw error
  }
}

function ifThere<Value, Other = undefined>(look: () => Value, otherwise?: Other): Value | Other | undefined {
  try {
    return look()
  } catch (error) {
    if (provesAbsence(error)) return otherwise
    throw error
  }
}
