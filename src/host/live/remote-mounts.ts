import { lstatSync, readFileSync, readlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { unescapeOctal } from '../octal-escapes.ts'
import { systemPath } from './file-name.ts'
import { errorCode } from './system-error.ts'

/** File systems that another process answers for: a server, a daemon, or the host of a virtual machine. */
const ANSWERED_FOR =
  /^(?:nfs4?|cifs|smb3|smbfs|9p|ceph|afs|autofs|virtiofs|lustre|glusterfs|beegfs|gpfs|gfs2|ocfs2|fuse|fuseblk|fuse\..+)$/

/** Where systemd itself mounts when it is asked for; with it in the list every path of every host would be looked at. */
const OF_THE_SYSTEM = /^\/proc\//

/** As many links as Linux follows in a path. @see path_resolution(7) */
const MOST_LINKS = 40

/** Where a file system that may hang is mounted, and of what type it is. */
export interface Mount {
  readonly point: string
  readonly type: string
}

/** Where the links lead that were looked at; undefined if invalid. */
export type ObservedLinks = Map<string, string | undefined>

/**
 * The mounts that another process answers for, and overlays with such a layer. Reading the list touches none of them. What
 * holds the root itself is left out: nothing could run if that hung.
 */
export function readRemoteMounts(mounts: readonly MountedLayers[] = readMounts()): readonly Mount[] {
  const remote: Mount[] = []
  for (const { point, type, layers } of mounts) {
    // A layer is mounted before what lies over it.
    const isRemote = ANSWERED_FOR.test(type) || layers.some((layer) => firstCrossed(layer, remote, new Map()))
    if (isRemote && point !== '/' && !OF_THE_SYSTEM.test(point)) remote.push({ point, type })
  }
  return remote
}

/** A mount of any kind, with what it is laid over. */
export interface MountedLayers extends Mount {
  /** `major:minor` of the file system. */
  readonly device: string
  /** The directories that an overlay lays over each other. */
  readonly layers: readonly string[]
}

/** All mounts, in the order in which they were made; none where the list cannot be read. */
export function readMounts(): readonly MountedLayers[] {
  try {
    const lines = readFileSync('/proc/self/mountinfo', 'utf8').split('\n')
    return lines.filter((line) => line !== '').map(parseMount)
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    return []
  }
}

/** One line of mountinfo: the mount point stands before the separator, type and options behind. @see proc_pid_mountinfo(5) */
function parseMount(line: string): MountedLayers {
  const [before = '', after = ''] = line.split(' - ')
  const [type = '', , options = ''] = after.split(' ')
  const [, , device = '', , point = ''] = before.split(' ')
  const layers = type === 'overlay' ? layersIn(unescapeOctal(options)) : []
  return { point: unescapeOctal(point), type, device, layers }
}

function layersIn(options: string): readonly string[] {
  return options.split(',').flatMap((option) => {
    const [, value = ''] = /^(?:lowerdir|upperdir|workdir)\+?=(.*)$/.exec(option) ?? []
    return value.split(':').filter((path) => path.startsWith('/'))
  })
}

/** The first of the mounts that looking at a path would ask; links are followed as far as that asks none of them. */
export function firstCrossed(path: string, mounts: readonly Mount[], seen: ObservedLinks): Mount | undefined {
  for (const at of stepsOf(path, seen)) {
    const mount = mounts.find(({ point }) => point === at)
    if (mount !== undefined) return mount
  }
  return undefined
}

/** Where following a path leads, one name after the other; each is looked at only once the next step is asked for. */
function* stepsOf(path: string, seen: ObservedLinks): Generator<string, void, undefined> {
  let links = 0
  const rest = partsOf(path)
  let at = '/'
  for (let part = rest.shift(); part !== undefined; part = rest.shift()) {
    const next = part === '..' ? dirname(at) : join(at, part)
    yield next
    const target = linkTarget(next, seen)
    if (target === undefined) at = next
    else {
      if (++links > MOST_LINKS) return
      rest.unshift(...partsOf(target))
      if (target.startsWith('/')) at = '/'
    }
  }
}

function partsOf(path: string): string[] {
  return path.split('/').filter((part) => part !== '' && part !== '.')
}

function linkTarget(path: string, seen: ObservedLinks): string | undefined {
  if (!seen.has(path)) seen.set(path, readLink(path))
  return seen.get(path)
}

/** Target of a symbolic link; undefined if the path is not a link or is unreadable. */
function readLink(path: string): string | undefined {
  try {
    const stats = lstatSync(systemPath(path), { throwIfNoEntry: false })
    return stats?.isSymbolicLink() === true ? readlinkSync(systemPath(path), 'utf8') : undefined
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    return undefined
  }
}
