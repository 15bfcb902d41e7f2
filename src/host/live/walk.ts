import { answeringPath } from './hanging.ts'
import type { SystemStats } from './machine-files.ts'
import { openRoot, type Place } from './place.ts'
import { errorCode } from './system-error.ts'

/** Maximum number of links on a path, as in the kernel. @see path_resolution(7) */
export const MAX_LINKS = 40

/** An open position on a path. A symbolic link is not followed. */
export interface Footing<Self> {
  readonly stats: SystemStats
  /** Opens the next component without following a link. Throws the error of the system call. */
  child(name: string): Self
  /** lstat(2) of an entry of this directory. Throws the error of the system call. */
  lstat(name: string): SystemStats
  /** The target of a link in this directory. */
  linkTarget(name: string): string
  close(): void
}

/** A step on a path: an opened entry that is not entered yet. */
export interface Step<At = Place> {
  readonly name: string
  readonly holder: At
  readonly entry: At
  /** Number of links followed before it. */
  readonly links: number
}

export interface WalkOptions {
  /** The start; `openRoot` by default, tests override it. */
  readonly root?: () => Place
  /** Creates missing directories; without it they are an error. */
  readonly create?: (directory: Place, name: string) => void
}

/** The opened end of a path, or the reason why the walk stopped. */
export type Walked<Stop, At = Place> =
  { readonly kind: 'reached'; readonly place: At } | { readonly kind: 'stopped'; readonly stop: Stop }

/**
 * Walks a path component by component and through links, each from the descriptor of its parent, so that the checked
 * entry is the one entered. A result of `judge` stops the walk; `judge` must also stop circular links. Throws the
 * errors of the system calls.
 */
export function walk<Stop>(
  path: string,
  judge: (step: Step) => Stop | undefined,
  { root = openRoot, create }: WalkOptions = {},
): Walked<Stop> {
  answeringPath(path)
  return walkFrom(root, path, judge, (directory, name) => enter(directory, name, create))
}

/** Walks a path from any root; absolute links are resolved below it. */
export function walkFrom<Stop, At extends Footing<At>>(
  root: () => At,
  path: string,
  judge: (step: Step<At>) => Stop | undefined,
  enterAt: (directory: At, name: string) => At = (directory, name) => directory.child(name),
): Walked<Stop, At> {
  let place = root()
  let pending = components(path)
  let links = 0
  try {
    for (let name = pending.shift(); name !== undefined; name = pending.shift()) {
      const entry = enterAt(place, name)
      const stop = judge({ name, holder: place, entry, links })
      if (stop === undefined && !entry.stats.isSymbolicLink()) {
        place.close()
        place = entry
        continue
      }
      entry.close()
      if (stop !== undefined) {
        place.close()
        return { kind: 'stopped', stop }
      }
      links++
      const target = place.linkTarget(name)
      pending = [...components(target), ...pending]
      if (target.startsWith('/')) {
        place.close()
        place = root()
      }
    }
  } catch (error) {
    place.close()
    throw error
  }
  return { kind: 'reached', place }
}

/**
 * Opens the end of a path below a root, through every link. No component is checked, so use it only for reading. Throws
 * the errors of the system calls.
 */
export function follow<At extends Footing<At>>(root: () => At, path: string): At {
  const walked = walkFrom(root, path, refuseCircles)
  // `refuseCircles` throws rather than stops.
  if (walked.kind === 'stopped') throw new Error('the walk was stopped')
  return walked.place
}

function refuseCircles({ links }: Pick<Step, 'links'>): undefined {
  if (links >= MAX_LINKS) throw Object.assign(new Error('too many links'), { code: 'ELOOP', errno: -40 })
}

function enter(directory: Place, name: string, create: WalkOptions['create']): Place {
  try {
    return directory.child(name)
  } catch (error) {
    if (create === undefined || errorCode(error) !== 'ENOENT') throw error
  }
  create(directory, name)
  return directory.child(name)
}

function components(path: string): string[] {
  return path.split('/').filter((name) => name !== '' && name !== '.')
}
