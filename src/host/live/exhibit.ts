import { closeSync, constants, openSync, readSync } from 'node:fs'
import { known, type Reading, unknown } from '../../model/observation.ts'
import type { Exhibit } from '../target.ts'
import type { SystemStats } from './machine-files.ts'
import type { Place } from './place.ts'
import { unreadable } from './system-error.ts'
import { isTrusted, OTHERS_WRITE } from './trust.ts'
import { type Footing, MAX_LINKS, type Step, walk, walkFrom, type Walked, type WalkOptions } from './walk.ts'

const ALL_WRITE = 0o002
const ALL_READ = 0o004
const ALL_ENTER = 0o001
const STICKY = 0o1000

/** Gives ids their names, where they have any. */
export interface Names {
  readonly userName: (uid: number) => string | undefined
  readonly groupName: (gid: number) => string | undefined
}

/**
 * Reads the beginning of a regular file for showing it. Each component of the path is judged by the descriptor that the
 * next one is reached through, and the bytes are those of the file that they led to, so that another one cannot slip in
 * between.
 */
export function readExhibit(
  path: string,
  maxBytes: number,
  { names, ...options }: Pick<WalkOptions, 'root'> & { readonly names: Names },
): Reading<Exhibit> {
  return exhibit<Place>(
    path,
    names,
    (judge) => walk(path, judge, options),
    ({ handle }) => readUpTo(handle, maxBytes),
  )
}

/** The same of a path from another root. */
export function readExhibitBelow<At extends Footing<At>>(
  root: () => At,
  path: string,
  names: Names,
  head: (place: At) => Uint8Array,
): Reading<Exhibit> {
  return exhibit(path, names, (judge) => walkFrom(root, path, judge), head)
}

function exhibit<At extends Footing<At>>(
  path: string,
  names: Names,
  go: (judge: (step: Step<At>) => string | undefined) => Walked<string, At>,
  head: (place: At) => Uint8Array,
): Reading<Exhibit> {
  let isHidden = false
  try {
    const walked = go(({ holder, entry, links }) => {
      if (links >= MAX_LINKS) throw Object.assign(new Error('too many links'), { code: 'ELOOP', errno: -40 })
      isHidden ||= (holder.stats.mode & ALL_ENTER) === 0
      return whoCanReplace(holder.stats, entry.stats, names)
    })
    if (walked.kind === 'stopped') return known({ kind: 'withheld', changeableBy: walked.stop })
    const { place } = walked
    try {
      if (!place.stats.isFile()) return unknown('not-observable', `${path}: no regular file`)
      const bytes = head(place)
      if ((place.stats.mode & ALL_READ) === 0) return known({ kind: 'shown', bytes, privateBy: 'file' })
      return known({ kind: 'shown', bytes, ...(isHidden ? { privateBy: 'directory' } : {}) })
    } finally {
      place.close()
    }
  } catch (error) {
    return unreadable(error, path)
  }
}

/**
 * Who else than root and the running user could have put the entry into the directory that holds it, or could put
 * something else there. In a sticky directory users cannot move away a directory of another user, but can put
 * files and links there.
 */
function whoCanReplace(holder: SystemStats, entry: SystemStats, { userName, groupName }: Names): string | undefined {
  const user = (uid: number): string => userName(uid) ?? `the user ${uid}`
  if (!isTrusted(holder.uid)) return user(holder.uid)
  if (entry.isSymbolicLink() && !isTrusted(entry.uid)) return user(entry.uid)
  if ((holder.mode & OTHERS_WRITE) === 0) return undefined
  if ((holder.mode & STICKY) !== 0 && entry.isDirectory() && isTrusted(entry.uid)) return undefined
  return (holder.mode & ALL_WRITE) === 0 ? `the group ${groupName(holder.gid) ?? holder.gid}` : 'every user'
}

/** The first bytes of a file that is proved to be regular. */
export function readUpTo(path: string, maxBytes: number): Uint8Array {
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY)
  try {
    const buffer = Buffer.alloc(maxBytes)
    let length = 0
    for (;;) {
      const bytesRead = readSync(descriptor, buffer, length, maxBytes - length, null)
      length += bytesRead
      if (bytesRead === 0 || length === maxBytes) return buffer.subarray(0, length)
    }
  } finally {
    closeSync(descriptor)
  }
}
