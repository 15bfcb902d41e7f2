/** A mount that systemd makes before it reads any file. */
export interface BuiltInMount {
  readonly fstype: string
  readonly options: string
}

const SAFE = 'nosuid,nodev,noexec'

/**
 * @see the table in systemd's src/shared/mount-setup.c; systemd-remount-fs.service(8) applies their options from fstab
 */
const MOUNTS: ReadonlyMap<string, BuiltInMount> = new Map([
  ['/proc', { fstype: 'proc', options: SAFE }],
  ['/sys', { fstype: 'sysfs', options: SAFE }],
  ['/dev', { fstype: 'devtmpfs', options: 'mode=0755,nosuid' }],
  ['/dev/shm', { fstype: 'tmpfs', options: 'mode=1777,nosuid,nodev' }],
  ['/dev/pts', { fstype: 'devpts', options: 'mode=0620,gid=5,nosuid,noexec' }],
  ['/run', { fstype: 'tmpfs', options: 'mode=0755,nosuid,nodev' }],
  ['/sys/kernel/security', { fstype: 'securityfs', options: SAFE }],
  ['/sys/fs/cgroup', { fstype: 'cgroup2', options: SAFE }],
  ['/sys/fs/pstore', { fstype: 'pstore', options: SAFE }],
  ['/sys/fs/bpf', { fstype: 'bpf', options: `mode=0700,${SAFE}` }],
  ['/sys/firmware/efi/efivars', { fstype: 'efivarfs', options: SAFE }],
])

/** The mount that systemd makes at a path by itself; only fstab can change it, not a unit. */
export function builtInMount(path: string): BuiltInMount | undefined {
  return MOUNTS.get(path)
}
