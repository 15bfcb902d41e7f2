import { fstatSync } from 'node:fs'
import { isTrusted } from './trust.ts'

const OTHERS = 0o077

/**
 * Whether only root and the running user can read output to an open file, as far as its attributes tell: terminals,
 * other devices, sockets and pipes without access for others count as private.
 */
export function isOwn(descriptor: number): boolean {
  const stats = fstatSync(descriptor)
  if (stats.isCharacterDevice() || stats.isSocket()) return true
  return (stats.mode & OTHERS) === 0 && (stats.isFIFO() || isTrusted(stats.uid))
}
