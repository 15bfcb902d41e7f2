import { posix } from 'node:path'
import { compilePatterns, NO_PATTERNS, type PatternState, stepInto } from '../../../model/path-patterns.ts'
import { type MountedLayers, readMounts, readRemoteMounts } from '../remote-mounts.ts'

/**
 * Types of local file systems, on disk or in memory. Pseudo file systems (proc, sysfs, cgroup2), those served by a
 * server or another process, and unknown types are excluded.
 */
const LOCAL = new Set(
  [
    ['bcachefs', 'btrfs', 'exfat', 'ext2', 'ext3', 'ext4', 'f2fs', 'hfs', 'hfsplus', 'jffs2', 'jfs', 'minix', 'msdos'],
    ['nilfs2', 'ntfs', 'ntfs3', 'reiserfs', 'ubifs', 'udf', 'ufs', 'vfat', 'xfs', 'zfs'],
    ['cramfs', 'erofs', 'iso9660', 'romfs', 'squashfs'],
    ['devtmpfs', 'ramfs', 'rootfs', 'tmpfs'],
    // Its layers are in other file systems; those of containers are in the directories below.
    ['overlay'],
  ].flat(),
)

/** Storage directories of containers, whose files do not belong to this machine. */
const CONTAINERS = compilePatterns([
  'run/containerd',
  'run/containers',
  'run/docker',
  'var/lib/containerd',
  'var/lib/containers',
  'var/lib/docker',
  'var/lib/kubelet/pods',
  'var/lib/lxc',
  'var/lib/lxd',
  'var/lib/machines',
  'var/lib/rancher',
  'var/snap/lxd',
  'home/*/.local/share/containers',
  'home/*/.local/share/docker',
  'root/.local/share/containers',
  'root/.local/share/docker',
])

/** The mount table as seen from a tree. Paths are absolute and without links. */
export interface FileSystemMap {
  /** Type of the file system mounted at a directory. */
  readonly typeAt: (path: string) => string | undefined
  /** The type of the file system mounted at a directory if it is not local; otherwise undefined. */
  readonly foreignAt: (path: string) => string | undefined
  /**
   * The mount points in a directory whose file systems are served by another process, with their types. They must not
   * even be accessed, since that could block forever.
   */
  readonly silentIn: (path: string) => ReadonlyMap<string, string> | undefined
  /** Whether the same file system is mounted twice, so that a directory may appear at two paths. */
  readonly hasTwins: boolean
}

/** Reads the mount table. */
export function openFileSystems(read: () => readonly MountedLayers[] = readMounts): FileSystemMap {
  let mounts = read()
  const silent = new Map<string, Map<string, string>>()
  for (const { point, type } of readRemoteMounts(mounts)) {
    const directory = posix.dirname(point)
    const names = silent.get(directory) ?? new Map<string, string>()
    silent.set(directory, names.set(posix.basename(point), type))
  }
  const typeAt = (path: string): string | undefined => mounts.findLast(({ point }) => point === path)?.type
  return {
    typeAt,
    foreignAt(path) {
      if (typeAt(path) === undefined) mounts = read()
      const type = typeAt(path)
      // The table lists the mount of a btrfs volume, but not the volumes within it.
      return type === undefined || LOCAL.has(type) ? undefined : type
    },
    silentIn: (path) => silent.get(path),
    hasTwins: hasTwins(mounts),
  }
}

function hasTwins(mounts: readonly MountedLayers[]): boolean {
  const devices = mounts.filter(({ type }) => LOCAL.has(type)).map(({ device }) => device)
  return new Set(devices).size < devices.length
}

/** Patterns of container storage below a directory; none if the directory is itself in one. */
export function containersBelow(path: string): PatternState {
  let state = CONTAINERS
  for (const name of path.split('/')) {
    if (name === '') continue
    const { isMatch, below } = stepInto(state, name)
    if (isMatch) return NO_PATTERNS
    state = below
  }
  return state
}
