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

/** Resolves ids to names; undefined if missing. */
export interface Names {
  readonly userName: (uid: number) => string | undefined
  readonly groupName: (gid: number) => string | undefined
}

/**
 * Reads the start of a regular file for display. Every component of the path is checked on its open descriptor, and the
 * bytes come from the file reached, so that the path cannot be replaced meanwhile.
 */
export function readExhibit(
  path: string,
  maxBytes: number,
  { names, ...options }: Pick<WalkOptions, 'root'> & { readonly names: Names },
): Reading<Exhibit> {
  return walkToExhibit<Place>(
    path,
    names,
    (judge) => walk(path, judge, options),
    ({ handle }) => readUpTo(handle, maxBytes),
  )
}

/** Reads the start of a file below any root. */
export function readExhibitBelow<At extends Footing<At>>(
  root: () => At,
  path: string,
  names: Names,
  head: (place: At) => Uint8Array,
): Reading<Exhibit> {
  return walkToExhibit(path, names, (judge) => walkFrom(root, path, judge), head)
}

function walkToExhibit<At extends Footing<At>>(
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
      if (!place.stats.isFile()) return unknown('not-observable', `${path}: not a regular file`)
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
 * The user or group, other than root and the running user, that could have created or could replace an entry of the
 * directory. In a sticky directory users cannot move directories of other users, but can create files and links.
 */
function whoCanReplace(holder: SystemStats, entry: SystemStats, { userName, groupName }: Names): string | undefined {
  const user = (uid: number): string => userName(uid) ?? `the user ${uid}`
  if (!isTrusted(holder.uid)) return user(holder.uid)
  if (entry.isSymbolicLink() && !isTrusted(entry.uid)) return user(entry.uid)
  if ((holder.mode & OTHERS_WRITE) === 0) return undefined
  if ((holder.mode & STICKY) !== 0 && entry.isDirectory() && isTrusted(entry.uid)) return undefined
  return (holder.mode & ALL_WRITE) === 0 ? `the group ${groupName(holder.gid) ?? holder.gid}` : 'every user'
}

/** The first bytes of a file already known to be regular. */
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
