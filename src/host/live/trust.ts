import process from 'node:process'

/** Write permission of group and others. */
export const OTHERS_WRITE = 0o022

/** Whether a user already controls the running process: root, and its own user. */
export function isTrusted(uid: number): boolean {
  return uid === 0 || uid === process.geteuid?.()
}

/**
 * Whether only root or the running user can change entries of a directory with these attributes. A sticky directory is
 * writable by others.
 */
export function isOursAlone({ uid, mode }: { readonly uid: number; readonly mode: number }): boolean {
  return isTrusted(uid) && (mode & OTHERS_WRITE) === 0
}
