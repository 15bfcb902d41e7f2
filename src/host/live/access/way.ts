import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { known, type Reading, unknown } from '../../../model/observation.ts'
import type { WayStep } from '../../access.ts'
import { answeringPath } from '../hanging.ts'
import type { SystemStats } from '../machine-files.ts'
import { openRoot } from '../place.ts'
import { provesAbsence, unreadable } from '../system-error.ts'
import { OTHERS_WRITE } from '../trust.ts'
import { type Footing, MAX_LINKS, type Step, walkFrom } from '../walk.ts'

const STICKY = 0o1000

/**
 * Follows a path from the root and through every link. Returns the directories, including the one at the end, that a
 * user other than root owns or can write to. In a sticky directory users can move only their own entries, so only its
 * owner counts, and the owners of links in it. A missing component ends the path.
 */
export function readWay(path: string): Reading<readonly WayStep[]> {
  try {
    answeringPath(path)
  } catch (error) {
    return unreadable(error, path)
  }
  return readWayFrom(openRoot, path, isOutside)
}

/** Follows a path from any root. `isNobody` tells whether no account of the system can have a user id. */
export function readWayFrom<At extends Footing<At>>(
  root: () => At,
  path: string,
  isNobody: (uid: number) => boolean = () => false,
): Reading<readonly WayStep[]> {
  const steps: WayStep[] = []
  const see = (seen: string, { stats }: At): void => {
    if (!isNobody(stats.uid)) note(steps, seen, stats)
  }
  let at = '/'
  const pass = ({ name, holder, entry, links }: Step<At>): Reading<never> | undefined => {
    const next = join(at, name)
    const isLink = entry.stats.isSymbolicLink()
    if (isLink && links >= MAX_LINKS) return unknown('not-observable', `${path}: too many symbolic links`)
    if (isLink ? isSticky(holder.stats) : entry.stats.isDirectory()) see(next, entry)
    if (!isLink) at = next
    return undefined
  }
  const start = (): At => {
    const place = root()
    at = '/'
    see(at, place)
    return place
  }
  try {
    const walked = walkFrom(start, path, pass)
    if (walked.kind === 'stopped') return walked.stop
    walked.place.close()
  } catch (error) {
    if (!provesAbsence(error)) return unreadable(error, path)
  }
  return known(steps)
}

function note(steps: WayStep[], path: string, stats: SystemStats): void {
  if (steps.some((step) => step.path === path)) return
  const kind = stats.isSymbolicLink() ? 'symlink' : 'directory'
  const mayOthersWrite = kind === 'directory' && (stats.mode & OTHERS_WRITE) !== 0 && !isSticky(stats)
  if (stats.uid === 0 && !mayOthersWrite) return
  steps.push({ path, kind, uid: stats.uid, gid: stats.gid, mode: stats.mode & 0o7777 })
}

function isSticky({ mode }: Pick<SystemStats, 'mode'>): boolean {
  return (mode & STICKY) !== 0
}

let outsider: number | undefined

/**
 * Whether an id is the overflow id of this user namespace, such as the root of the host in an unprivileged container:
 * no account of the namespace has it. @see user_namespaces(7)
 */
function isOutside(uid: number): boolean {
  outsider ??= findOutsider()
  return uid === outsider
}

const NO_ID = -1

function findOutsider(): number {
  try {
    const overflow = Number(readFileSync('/proc/sys/kernel/overflowuid', 'utf8'))
    const isMapped = readFileSync('/proc/self/uid_map', 'utf8')
      .split('\n')
      .map((line) => line.trim().split(/\s+/).map(Number))
      .some(([first = NO_ID, , count = 0]) => first >= 0 && overflow >= first && overflow < first + count)
    return isMapped ? NO_ID : overflow
  } catch (error) {
    unreadable(error, '/proc/self/uid_map')
    return NO_ID
  }
}
