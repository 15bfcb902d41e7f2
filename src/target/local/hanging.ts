import { spawn } from 'node:child_process'
import { lstatSync, readFileSync, readlinkSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { type Unknown, unknown } from '../../core/observation.ts'
import { systemPath } from './file-name.ts'
import { errorCode } from './system-error.ts'
import { findSystemProgram } from './system-programs.ts'

/** File systems that somebody else answers for: a server, a daemon, or the host of a virtual machine. */
const ANSWERED_FOR =
  /^(?:nfs4?|cifs|smb3|smbfs|9p|ceph|afs|autofs|virtiofs|lustre|glusterfs|beegfs|gpfs|gfs2|ocfs2|fuse|fuseblk|fuse\..+)$/

/** How long one may take to say anything about a path, in milliseconds. */
const DEADLINE_MS = 10_000

/** How long an answer of one is taken for the next ones to come, in milliseconds. */
const TRUST_MS = 2_000

/** As many links as Linux follows in a path. @see path_resolution(7) */
const MOST_LINKS = 40

/** Where a file system that may hang is mounted, and of what type it is. */
interface Mount {
  readonly point: string
  readonly type: string
}

/** Tells whether what lies at paths can be asked for without hanging. */
export interface HangGuard {
  /**
   * Undefined where nothing is mounted that could hang, or none of the paths leads there; otherwise a promise that is kept
   * when each of these file systems has said something, or has not for ten seconds.
   */
  readonly findHanging: (
    paths: () => readonly string[],
    signal: AbortSignal,
  ) => Promise<Unknown | undefined> | undefined
}

/**
 * A read that hangs in the system is ended by nothing, SIGKILL included, and holds up the end of its process. So the first
 * to ask a file system that may hang is a child process, which is left alone if it gets no answer. What has not answered
 * once in a run is not asked again.
 */
export function createHangGuard(): HangGuard {
  let mounts: readonly Mount[] | undefined
  const answers = new Map<string, { readonly at: number; readonly answer: Promise<Unknown | undefined> }>()

  function ask(path: string, { point, type }: Mount, signal: AbortSignal): Promise<Unknown | undefined> {
    const earlier = answers.get(point)
    if (earlier !== undefined && performance.now() - earlier.at < TRUST_MS) return earlier.answer
    const answer = answersWithin(path, signal).then((isAnswering) => {
      if (isAnswering) return undefined
      // Not asked again: each question leaves a process behind.
      answers.set(point, { at: Number.POSITIVE_INFINITY, answer })
      return unknown('timeout', `the file system at ${point} (${type}) does not answer`)
    })
    answers.set(point, { at: performance.now(), answer })
    return answer
  }

  return {
    findHanging(paths, signal) {
      mounts ??= readMounts()
      if (mounts.length === 0) return undefined
      const known = mounts
      const asked = paths().flatMap((path) => {
        const mount = mountBelow(resolve(path), known)
        return mount === undefined ? [] : [ask(path, mount, signal)]
      })
      if (asked.length === 0) return undefined
      return Promise.all(asked).then((found) => found.find((trouble) => trouble !== undefined))
    },
  }
}

/** Reading the list touches none of them. What holds the root itself is left out: nothing could run if that hung. */
function readMounts(): readonly Mount[] {
  try {
    return readFileSync('/proc/self/mountinfo', 'utf8').split('\n').flatMap(parseMount)
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    return []
  }
}

/** One line of mountinfo: the mount point stands before the separator, the type behind. @see proc_pid_mountinfo(5) */
function parseMount(line: string): readonly Mount[] {
  const [before = '', after = ''] = line.split(' - ')
  const point = (before.split(' ')[4] ?? '').replaceAll(/\\([0-7]{3})/g, (_, octal: string) =>
    String.fromCharCode(Number.parseInt(octal, 8)),
  )
  const [type = ''] = after.split(' ')
  return point !== '/' && ANSWERED_FOR.test(type) ? [{ point, type }] : []
}

/** The first of the mounts that looking at a path would ask, links followed as far as that is safe. */
function mountBelow(path: string, mounts: readonly Mount[]): Mount | undefined {
  let links = 0
  const rest = path.split('/').filter((part) => part !== '')
  let at = '/'
  for (let part = rest.shift(); part !== undefined; part = rest.shift()) {
    const next = part === '..' ? dirname(at) : join(at, part)
    const mount = mounts.find(({ point }) => point === next)
    if (mount !== undefined) return mount
    const target = linkTarget(next)
    if (target === undefined) at = next
    else {
      if (++links > MOST_LINKS) return undefined
      rest.unshift(...target.split('/').filter((each) => each !== '' && each !== '.'))
      if (target.startsWith('/')) at = '/'
    }
  }
  return undefined
}

/** Where a link leads; undefined for what is none, or cannot be looked at. */
function linkTarget(path: string): string | undefined {
  try {
    const stats = lstatSync(systemPath(path), { throwIfNoEntry: false })
    return stats?.isSymbolicLink() === true ? readlinkSync(systemPath(path), 'utf8') : undefined
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    return undefined
  }
}

/** Whether looking at a path comes to an end, whatever is found. */
function answersWithin(path: string, signal: AbortSignal): Promise<boolean> {
  const stat = findSystemProgram('stat')
  if (stat === undefined) return Promise.resolve(true)
  // It must hold nothing of ours: whoever reads our output would wait for the end of a process that has none.
  const child = spawn(stat, ['-L', '--', path], { cwd: '/', detached: true, stdio: 'ignore' })
  child.unref()
  return new Promise((resolve) => {
    const end = (isAnswering: boolean): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', giveUp)
      if (!isAnswering) child.kill('SIGKILL')
      resolve(isAnswering)
    }
    const giveUp = (): void => end(false)
    const timer = setTimeout(giveUp, DEADLINE_MS)
    signal.addEventListener('abort', giveUp)
    child.once('error', () => end(true))
    child.once('exit', () => end(true))
  })
}
