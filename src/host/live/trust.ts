import process from 'node:process'

/** The permission bits that let others than the owner write. */
export const OTHERS_WRITE = 0o022

/** Whether a user can do nothing to the running process that it could not do itself: root, and its own user. */
export function isTrusted(uid: number): boolean {
  return uid === 0 || uid === process.geteuid?.()
}
