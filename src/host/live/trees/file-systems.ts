import { posix } from 'node:path'
import { compilePatterns, NO_PATTERNS, type PatternState, stepInto } from '../../../model/path-patterns.ts'
import { type MountedLayers, readMounts, readRemoteMounts } from '../remote-mounts.ts'

/**
 * The types of file systems whose files this machine itself holds, on a disk or in memory. What the kernel makes up (proc,
 * sysfs, cgroup2), what a server or another process answers for, and unknown types are not among them.
 */
const LOCAL = new Set(
  [
    ['bcachefs', 'btrfs', 'exfat', 'ext2', 'ext3', 'ext4', 'f2fs', 'hfs', 'hfsplus', 'jffs2', 'jfs', 'minix', 'msdos'],
    ['nilfs2', 'ntfs', 'ntfs3', 'reiserfs', 'ubifs', 'udf', 'ufs', 'vfat', 'xfs', 'zfs'],
    ['cramfs', 'erofs', 'iso9660', 'romfs', 'squashfs'],
    ['devtmpfs', 'ramfs', 'rootfs', 'tmpfs'],
    // Its files lie in others; one of a container lies where containers are kept.
    ['overlay'],
  ].flat(),
)

/** Where the files of containers are kept, which are no files of this machine. */
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

/** What the table of mounts says of places in a tree. Paths are absolute and without links. */
export interface FileSystemMap {
  /** What is mounted upon a directory. */
  readonly typeAt: (path: string) => string | undefined
  /** Why what is mounted upon a directory is not held by this machine; undefined where it is. */
  readonly foreignAt: (path: string) => string | undefined
  /**
   * The entries of a directory upon which something is mounted that another process answers for, and its type. They must not
   * even be looked at: that may never come to an end.
   */
  readonly silentIn: (path: string) => ReadonlyMap<string, string> | undefined
  /** Whether a directory can be met at two places: the same file system is mounted at both. */
  readonly hasTwins: boolean
}

/** Reads the table of mounts. */
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
      // Of a volume of btrfs only the mount is in the table, not those within it.
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

/** Where containers keep their files below a directory; nowhere for a directory that itself lies there. */
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
