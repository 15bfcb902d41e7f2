import { lstatSync, readlinkSync, realpathSync, type Stats, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import process from 'node:process'

const OTHERS_WRITE = 0o022
const STICKY = 0o1000

/**
 * Why a user other than root and the running one could change the file at a path, as the end of a sentence; undefined
 * if none could. Checks the file and its directory, and for a link both ends. A sticky directory such as /tmp counts as
 * writable, because any user can create files in it. Throws if the path does not exist.
 */
export function whoCanChange(path: string): string | undefined {
  const named = resolve(path)
  const link = judgePlace(named, lstatSync(named))
  if (link !== undefined) return link
  const real = realpathSync(named)
  return judgePlace(real, statSync(real))
}

function judgePlace(path: string, stats: Stats): string | undefined {
  const directory = dirname(path)
  return whoCanWrite(`its directory ${directory}`, statSync(directory)) ?? whoCanWrite(path, stats)
}

/**
 * Why a user other than root and the running one could replace this directory, by way of one of its parents or a link
 * on the path; undefined if none could. It need not exist yet. In a sticky directory such as /tmp users can move only
 * their own entries. Throws for circular links.
 */
export function whoCanMove(directory: string): string | undefined {
  return judgeWay(resolve(directory), 0)
}

/** The limit of Linux. @see path_resolution(7) */
const MOST_LINKS = 40

function judgeWay(path: string, links: number): string | undefined {
  if (links > MOST_LINKS) throw Object.assign(new Error('too many links'), { code: 'ELOOP' })
  const above = dirname(path)
  if (above === path) return undefined
  const way = judgeWay(above, links)
  const holder = way === undefined ? statSync(above, { throwIfNoEntry: false }) : undefined
  if (holder === undefined) return way
  const stats = lstatSync(path, { throwIfNoEntry: false })
  const isOwn = stats === undefined || isTrusted(stats.uid)
  const isSticky = (holder.mode & STICKY) !== 0 && isTrusted(holder.uid) && isOwn
  const reason = isSticky ? undefined : whoCanWrite(above, holder)
  if (reason !== undefined || stats?.isSymbolicLink() !== true) return reason
  return whoCanWrite(path, stats) ?? judgeWay(resolve(above, readlinkSync(path)), links + 1)
}

function isTrusted(uid: number): boolean {
  return uid === 0 || uid === process.geteuid?.()
}

/** Why such a user can write to a single file, regardless of its path. */
export function whoCanWrite(what: string, stats: Stats): string | undefined {
  if (!isTrusted(stats.uid)) return `${what} belongs to another user (${stats.uid})`
  // The mode of a link is meaningless.
  if (stats.isSymbolicLink() || (stats.mode & OTHERS_WRITE) === 0) return undefined
  return `other users can write to ${what} (mode ${(stats.mode & 0o7777).toString(8).padStart(4, '0')})`
}
