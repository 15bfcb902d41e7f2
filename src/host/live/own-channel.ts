import { fstatSync } from 'node:fs'
import { isTrusted } from './trust.ts'

const OTHERS = 0o077

/**
 * Whether only root and the running user can read what is written to an open file, as far as the file can tell:
 * terminals, other devices and sockets are for whom they were opened, and so is a pipe that has no name for others.
 */
export function isOwn(descriptor: number): boolean {
  const stats = fstatSync(descriptor)
  if (stats.isCharacterDevice() || stats.isSocket()) return true
  return (stats.mode & OTHERS) === 0 && (stats.isFIFO() || isTrusted(stats.uid))
}
