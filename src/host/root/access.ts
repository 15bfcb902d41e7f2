import { posix } from 'node:path'
import process from 'node:process'
import { known, type Reading } from '../../model/observation.ts'
import type { AccessReader, WayStep } from '../access.ts'
import { findReadingProgram } from '../live/access/programs.ts'
import { type HeldPaths, openAttributeReader } from '../live/access/reader.ts'
import { readWayFrom } from '../live/access/way.ts'
import { provesAbsence, unreadable } from '../live/system-error.ts'
import { follow } from '../live/walk.ts'
import type { RootedFooting, RootedSource } from './files.ts'
import type { RootedPlace } from './root-place.ts'

/**
 * ACLs, capabilities and flags of files below a root directory. The helper gets the descriptor path of each parent
 * directory, so it follows no link and does not know the root.
 */
export function rootedAccess(source: Pick<RootedSource<RootedPlace>, 'root'>): AccessReader {
  const { beyondMode, flags } = openAttributeReader(findReadingProgram, (paths) => holdAll(source.root, paths))
  return {
    beyondMode: (paths) => inPieces(paths, beyondMode),
    flags: (paths) => inPieces(paths, flags),
    wayTo: (path, { followed } = { followed: false }) => readWayBelow(source.root, path, followed),
    forget: () => undefined,
  }
}

/** The path components below a root that other users can change; user ids are those of the system there. */
export function readWayBelow<At extends RootedFooting<At>>(
  root: () => At,
  path: string,
  followed: boolean,
): Reading<readonly WayStep[]> {
  if (!followed) return readWayFrom(root, posix.dirname(path))
  const way = readWayFrom(root, path)
  const end = endOf(root, path)
  if (way.kind === 'unknown' || end.kind === 'unknown') return way
  return known(way.value.filter((step) => step.path !== end.value))
}

/** The path with links resolved; undefined if it does not exist. */
function endOf<At extends RootedFooting<At>>(root: () => At, path: string): Reading<string | undefined> {
  try {
    const end = follow(root, path)
    end.close()
    return known(end.path)
  } catch (error) {
    return provesAbsence(error) ? known(undefined) : unreadable(error, path)
  }
}

/** Limited because each directory is held open during the request. */
const PATHS_AT_ONCE = 200

async function inPieces<Value>(
  paths: readonly string[],
  ask: (paths: readonly string[]) => Promise<readonly Value[]>,
): Promise<readonly Value[]> {
  const answers: Value[] = []
  for (let at = 0; at < paths.length; at += PATHS_AT_ONCE) {
    answers.push(...(await ask(paths.slice(at, at + PATHS_AT_ONCE))))
  }
  return answers
}

function holdAll(root: () => RootedPlace, paths: readonly string[]): HeldPaths {
  const directories = new Map<string, RootedPlace>()
  const hold = (directory: string): RootedPlace => {
    const held = directories.get(directory) ?? follow(root, directory)
    directories.set(directory, held)
    return held
  }
  return {
    paths: paths.map((path) => {
      try {
        const directory = hold(posix.dirname(path))
        return known(ofOurs(path === '/' ? `${directory.handle}/.` : entryOf(directory, posix.basename(path))))
      } catch (error) {
        return unreadable(error, path)
      }
    }),
    release() {
      for (const directory of directories.values()) directory.close()
    },
  }
}

/** Walks to the entry as every read does, since some paths below a root are refused. */
function entryOf(directory: RootedPlace, name: string): string | Buffer {
  directory.child(name).close()
  return directory.entry(name)
}

/** The descriptor path of this process for another process. */
function ofOurs(path: string | Buffer): Buffer {
  const bytes = Buffer.from(path)
  const own = Buffer.from('/proc/self/')
  if (!bytes.subarray(0, own.length).equals(own)) throw new Error('not a descriptor path')
  return Buffer.concat([Buffer.from(`/proc/${process.pid}/`), bytes.subarray(own.length)])
}
