import process from 'node:process'

/** The permission bits that let others than the owner write. */
export const OTHERS_WRITE = 0o022

/** Whether a user can do nothing to the running process that it could not do itself: root, and its own user. */
export function isTrusted(uid: number): boolean {
  return uid === 0 || uid === process.geteuid?.()
}

/** Whether only root or the running user can change what lies in a directory with these attributes. A sticky one others write to, too. */
export function isOursAlone({ uid, mode }: { readonly uid: number; readonly mode: number }): boolean {
  return isTrusted(uid) && (mode & OTHERS_WRITE) === 0
}
