import type { Permission } from './rule.ts'

const OPENING = ['open', 'openat', 'openat2', 'open_by_handle_at', 'creat']

/** The system calls that the kernel counts as a kind of access. @see asm-generic/audit_*.h, audit_match_perm in auditsc.c */
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
  // Opening asks for reading and writing alone.
  x: ['execve', 'execveat'],
  a: [
    ...split('chmod fchmod fchmodat fchmodat2 chown fchown lchown fchownat chown32 fchown32 lchown32 link linkat'),
    ...split('setxattr lsetxattr fsetxattr setxattrat removexattr lremovexattr fremovexattr removexattrat'),
  ],
}

function split(names: string): readonly string[] {
  return names.split(' ')
}

/** Whether a system call can be this kind of access; a number can be anything. */
export function canBeAccess(call: string, permission: Permission): boolean {
  return /^\d+$/.test(call) || CALLS[permission].includes(call)
}

/** Whether one system call can be both kinds of access: a file that is opened for reading and writing is. */
export function canBeBoth(one: Permission, other: Permission): boolean {
  return one === other || CALLS[one].some((call) => CALLS[other].includes(call))
}
