import { lstatSync, readFileSync, readlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { unescapeOctal } from '../octal-escapes.ts'
import { systemPath } from './file-name.ts'
import { errorCode } from './system-error.ts'

/** File systems served by another process: a server, a daemon, or the host of a virtual machine. */
const ANSWERED_FOR =
  /^(?:nfs4?|cifs|smb3|smbfs|9p|ceph|afs|autofs|virtiofs|lustre|glusterfs|beegfs|gpfs|gfs2|ocfs2|fuse|fuseblk|fuse\..+)$/

/** Automount points of systemd itself; including them would mean to check every path on every host. */
const OF_THE_SYSTEM = /^\/proc\//

/** The limit of Linux. @see path_resolution(7) */
const MOST_LINKS = 40

/** The mount point and type of a file system that may hang. */
export interface Mount {
  readonly point: string
  readonly type: string
}

/** Targets of links; undefined for paths that are not links. */
export type ObservedLinks = Map<string, string | undefined>

/**
 * The mounts served by another process, and overlays with such a layer. Reading the list does not access them. A mount
 * at the root is left out: nothing could run if it hung.
 */
export function readRemoteMounts(mounts: readonly MountedLayers[] = readMounts()): readonly Mount[] {
  const remote: Mount[] = []
  for (const { point, type, layers } of mounts) {
    // A layer is mounted before its overlay.
    const isRemote = ANSWERED_FOR.test(type) || layers.some((layer) => firstCrossed(layer, remote, new Map()))
    if (isRemote && point !== '/' && !OF_THE_SYSTEM.test(point)) remote.push({ point, type })
  }
  return remote
}

/** A mount of any type, with its layers. */
export interface MountedLayers extends Mount {
  /** `major:minor` of the file system. */
  readonly device: string
  /** The layers of an overlay. */
  readonly layers: readonly string[]
}

/** All mounts in mount order; empty if the list is unreadable. */
export function readMounts(): readonly MountedLayers[] {
  try {
    const lines = readFileSync('/proc/self/mountinfo', 'utf8').split('\n')
    return lines.filter((line) => line !== '').map(parseMount)
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    return []
  }
}

/** Parses a line of mountinfo: the mount point is before the separator, type and options after it. @see proc_pid_mountinfo(5) */
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

/** The first mount that accessing a path would touch; links are resolved only while no mount is touched. */
export function firstCrossed(path: string, mounts: readonly Mount[], seen: ObservedLinks): Mount | undefined {
  for (const at of stepsOf(path, seen)) {
    const mount = mounts.find(({ point }) => point === at)
    if (mount !== undefined) return mount
  }
  return undefined
}

/** The steps of resolving a path; each is read only when the next one is requested. */
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
