import { answeringPath } from './hanging.ts'
import type { SystemStats } from './machine-files.ts'
import { openRoot, type Place } from './place.ts'
import { errorCode } from './system-error.ts'

/** How many links may be on a path: the kernel's own limit. @see path_resolution(7) */
export const MAX_LINKS = 40

/** What a path is gone along by: something that is held, and leads to what is in it. A symbolic link stands for itself. */
export interface Footing<Self> {
  readonly stats: SystemStats
  /** Goes one component further without following a link. Throws what the system call does. */
  child(name: string): Self
  /** Where the link with that name in this directory leads. */
  linkTarget(name: string): string
  close(): void
}

/** A step along a path: something that was opened in a directory, and is not gone to yet. */
export interface Step<At = Place> {
  readonly name: string
  readonly holder: At
  readonly entry: At
  /** How many links were followed before it. */
  readonly links: number
}

/** How to go along a path. */
export interface WalkOptions {
  /** Where to start; `openRoot` unless a test says otherwise. */
  readonly root?: () => Place
  /** Makes what is missing; without it, what is missing stays missing. */
  readonly create?: (directory: Place, name: string) => void
}

/** Where a path led, held open, or what was said of a step that was not gone. */
export type Walked<Stop, At = Place> =
  { readonly kind: 'reached'; readonly place: At } | { readonly kind: 'stopped'; readonly stop: Stop }

/**
 * Goes along a path, component by component and through links, each from the descriptor of the one before: what is judged
 * is what is gone through. What `judge` says of a step ends the walk, and so it has to where links lead in circles. Throws
 * what the system calls do.
 */
export function walk<Stop>(
  path: string,
  judge: (step: Step) => Stop | undefined,
  { root = openRoot, create }: WalkOptions = {},
): Walked<Stop> {
  answeringPath(path)
  return walkFrom(root, path, judge, (directory, name) => enter(directory, name, create))
}

/** The same from any root, whose links lead back to it. */
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
 * Where a path leads from a root through every link, held open. Any path is allowed, so this is for reading. Throws what
 * the system calls do.
 */
export function follow<At extends Footing<At>>(root: () => At, path: string): At {
  const walked = walkFrom(root, path, refuseCircles)
  // What judges the steps stops none of them.
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
