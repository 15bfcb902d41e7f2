import type { Permission } from './rule.ts'

const OPENING = ['open', 'openat', 'openat2', 'open_by_handle_at', 'creat']

/**
 * The system calls that the kernel assigns to each permission. @see asm-generic/audit_*.h, audit_match_perm in auditsc.c
 */
const CALLS: Readonly<Record<Permission, readonly string[]>> = {
  r: [
    ...OPENING,
    ...split('readlink quotactl listxattr llistxattr flistxattr getxattr lgetxattr fgetxattr readlinkat'),
  ],
  w: [
    ...OPENING,
    ...split(
      'rename mkdir rmdir link unlink symlink mknod mkdirat mknodat unlinkat renameat linkat symlinkat renameat2',
    ),
    ...split('acct swapon quotactl truncate truncate64 ftruncate ftruncate64 bind fallocate socketcall'),
  ],
  // open(2) counts only as a read or a write.
  x: ['execve', 'execveat'],
  a: [
    ...split('chmod fchmod fchmodat fchmodat2 chown fchown lchown fchownat chown32 fchown32 lchown32 link linkat'),
    ...split('setxattr lsetxattr fsetxattr setxattrat removexattr lremovexattr fremovexattr removexattrat'),
  ],
}

function split(names: string): readonly string[] {
  return names.split(' ')
}

/** Whether a system call can match the permission; a number can match any. */
export function canBeAccess(call: string, permission: Permission): boolean {
  return /^\d+$/.test(call) || CALLS[permission].includes(call)
}

/** Whether one system call can match both permissions, as open(2) with O_RDWR does. */
export function canBeBoth(one: Permission, other: Permission): boolean {
  return one === other || CALLS[one].some((call) => CALLS[other].includes(call))
}
