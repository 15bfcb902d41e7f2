import { realpathSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { type Unknown, unknown } from '../../model/observation.ts'
import { type Answer, askPath, askPathNow } from './ask-path.ts'
import { systemPath } from './file-name.ts'
import { firstCrossed, type Mount, readRemoteMounts, type ObservedLinks } from './remote-mounts.ts'
import { errorCode, RefusedFile } from './system-error.ts'

/** How long an answer is trusted, in milliseconds. */
const TRUST_MS = 2_000

/** How long a silent file system is not asked again, in milliseconds: each question leaves a process behind. */
const SILENCE_MS = 10 * 60_000

interface Known {
  readonly at: number
  readonly mounts: readonly Mount[]
  readonly links: ObservedLinks
  /** Mount points from which file content was read; everything else there is expected to answer. */
  readonly readable: Set<string>
  /** Paths with an answer. */
  readonly answered: Set<string>
}

let recent: Known | undefined

/** Silent file systems, by mount point. */
const silent = new Map<string, { readonly since: number; readonly trouble: Unknown }>()

/**
 * Whether a file system on one of the paths hangs. Undefined if no mounted file system could hang, or none of the paths
 * crosses one; otherwise a promise that settles once each of them has answered or has been silent for ten seconds.
 */
export function findHanging(
  paths: () => readonly string[],
  signal: AbortSignal,
): Promise<Unknown | undefined> | undefined {
  if (recentState().mounts.length === 0) return undefined
  const asked = [...new Set(paths())].flatMap((named) => {
    const path = resolve(named)
    const judged = judge(path)
    if (judged === undefined) return []
    return [
      'kind' in judged
        ? Promise.resolve(judged)
        : askPath(path, signal).then((answer) => cacheAnswer(path, judged, answer)),
    ]
  })
  if (asked.length === 0) return undefined
  return Promise.all(asked).then((found) => found.find((trouble) => trouble !== undefined))
}

/**
 * A path for system calls, once its file system has answered. Throws a `RefusedFile` after ten seconds without an
 * answer: the call would block the process, even for signals.
 */
export function answeringPath(path: string): string | Buffer {
  if (recentState().mounts.length > 0) refuseSilent(resolve(path))
  return systemPath(path)
}

/** Whether a path crosses a file system that is not local. */
export function isAnsweredFor(path: string): boolean {
  const { mounts, links } = recentState()
  return mounts.length > 0 && firstCrossed(path, mounts, links) !== undefined
}

function refuseSilent(path: string): void {
  const judged = judge(path)
  const trouble = judged === undefined || 'kind' in judged ? judged : cacheAnswer(path, judged, askPathNow(path))
  if (trouble !== undefined) throw new RefusedFile(trouble.detail, 'SILENT_FILE_SYSTEM')
}

function recentState(): Known {
  const at = performance.now()
  if (recent === undefined || at - recent.at > TRUST_MS) {
    recent = { at, mounts: readRemoteMounts(), links: new Map(), readable: new Set(), answered: new Set() }
  }
  return recent
}

/** The mount to ask before a path is accessed, or the failure if it has been silent. */
function judge(path: string): Mount | Unknown | undefined {
  const { mounts, links, readable, answered } = recentState()
  if (answered.has(path)) return undefined
  const doubtful = mounts.filter(({ point }) => !readable.has(point))
  const mount = firstCrossed(path, doubtful, links)
  if (mount === undefined) return undefined
  const silence = silent.get(mount.point)
  if (silence === undefined) return mount
  if (performance.now() - silence.since < SILENCE_MS) return silence.trouble
  silent.delete(mount.point)
  return mount
}

function cacheAnswer(path: string, { point, type }: Mount, answer: Answer): Unknown | undefined {
  if (answer === 'answered') {
    const { mounts, readable, answered } = recentState()
    answered.add(path)
    const file = realFile(path)
    const holders = mounts.filter((mount) => file?.startsWith(`${mount.point}/`))
    const holder = holders.toSorted((left, right) => right.point.length - left.point.length)[0]
    if (holder !== undefined) readable.add(holder.point)
    return undefined
  }
  if (answer === 'interrupted') return unknown('timeout', `interrupted while waiting for the file system at ${point}`)
  const fault = answer === 'interrupts' ? 'interrupts every call' : 'does not answer'
  const trouble = unknown('timeout', `the file system at ${point} (${type}) ${fault}`)
  silent.set(point, { since: performance.now(), trouble })
  return trouble
}

/** The path of a regular file with all links resolved; undefined for other files. */
function realFile(path: string): string | undefined {
  try {
    return statSync(systemPath(path)).isFile() ? realpathSync.native(systemPath(path)) : undefined
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    return undefined
  }
}
