import { realpathSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { type Unknown, unknown } from '../../model/observation.ts'
import { type Answer, askPath, askPathNow } from './ask-path.ts'
import { systemPath } from './file-name.ts'
import { firstCrossed, type Mount, readRemoteMounts, type ObservedLinks } from './remote-mounts.ts'
import { errorCode, RefusedFile } from './system-error.ts'

/** How long an answer is taken for the next ones to come, in milliseconds. */
const TRUST_MS = 2_000

/** How long what gave no answer is not asked again, in milliseconds: each question leaves a process behind. */
const SILENCE_MS = 10 * 60_000

/** What was found out a short while ago. */
interface Known {
  readonly at: number
  readonly mounts: readonly Mount[]
  readonly links: ObservedLinks
  /** The points of mounts where the content of a file was read, so that everything else there is expected to answer. */
  readonly readable: Set<string>
  /** Paths that came to an answer. */
  readonly answered: Set<string>
}

let recent: Known | undefined

/** What gave no answer, by mount point. */
const silent = new Map<string, { readonly since: number; readonly trouble: Unknown }>()

/**
 * Whether a file system that paths lead to does not answer. Undefined where nothing is mounted that could hang, or none of
 * the paths leads there; otherwise a promise that is kept when each of these file systems has said something, or has not
 * for ten seconds.
 */
export function findHanging(
  paths: () => readonly string[],
  signal: AbortSignal,
): Promise<Unknown | undefined> | undefined {
  if (known().mounts.length === 0) return undefined
  const asked = [...new Set(paths())].flatMap((named) => {
    const path = resolve(named)
    const judged = judge(path)
    if (judged === undefined) return []
    return [
      'kind' in judged ? Promise.resolve(judged) : askPath(path, signal).then((answer) => settle(path, judged, answer)),
    ]
  })
  if (asked.length === 0) return undefined
  return Promise.all(asked).then((found) => found.find((trouble) => trouble !== undefined))
}

/**
 * A path as system calls take it, once the file system that it leads to has answered. Throws a `RefusedFile` where it has
 * not for ten seconds: the call would hang where no signal reaches it, and with it everything else.
 */
export function answeringPath(path: string): string | Buffer {
  if (known().mounts.length > 0) refuseSilent(resolve(path))
  return systemPath(path)
}

/** Whether a path from the root leads to a file system that is not of this machine alone. */
export function isAnsweredFor(path: string): boolean {
  const { mounts, links } = known()
  return mounts.length > 0 && firstCrossed(path, mounts, links) !== undefined
}

function refuseSilent(path: string): void {
  const judged = judge(path)
  const trouble = judged === undefined || 'kind' in judged ? judged : settle(path, judged, askPathNow(path))
  if (trouble !== undefined) throw new RefusedFile(trouble.detail, 'SILENT_FILE_SYSTEM')
}

function known(): Known {
  const at = performance.now()
  if (recent === undefined || at - recent.at > TRUST_MS) {
    recent = { at, mounts: readRemoteMounts(), links: new Map(), readable: new Set(), answered: new Set() }
  }
  return recent
}

/** The mount that has to be asked before a path from the root is looked at, or that it has not answered before. */
function judge(path: string): Mount | Unknown | undefined {
  const { mounts, links, readable, answered } = known()
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

/** Keeps what came of asking. */
function settle(path: string, { point, type }: Mount, answer: Answer): Unknown | undefined {
  if (answer === 'answered') {
    const { mounts, readable, answered } = known()
    answered.add(path)
    const file = realFile(path)
    const holders = mounts.filter((mount) => file?.startsWith(`${mount.point}/`))
    const holder = holders.toSorted((left, right) => right.point.length - left.point.length)[0]
    if (holder !== undefined) readable.add(holder.point)
    return undefined
  }
  if (answer === 'interrupted') return unknown('timeout', `interrupted while the file system at ${point} was asked`)
  const fault = answer === 'interrupts' ? 'interrupts every call' : 'does not answer'
  const trouble = unknown('timeout', `the file system at ${point} (${type}) ${fault}`)
  silent.set(point, { since: performance.now(), trouble })
  return trouble
}

/** The path of a regular file with every link resolved; undefined for everything else. */
function realFile(path: string): string | undefined {
  try {
    return statSync(systemPath(path)).isFile() ? realpathSync.native(systemPath(path)) : undefined
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    return undefined
  }
}
