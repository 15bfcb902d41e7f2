import { lstatSync, realpathSync, type Stats, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import process from 'node:process'

const OTHERS_WRITE = 0o022

/**
 * Why somebody other than root and the running user could change what a path leads to, as the end of a sentence;
 * undefined where nobody could. The file and its directory are judged, and of a link both ends. A sticky directory such
 * as /tmp counts as one that others write in, because anybody can put a file of their own there. Throws for what is not
 * there.
 */
export function whoCanChange(path: string): string | undefined {
  const named = resolve(path)
  const link = judgePlace(named, lstatSync(named))
  if (link !== undefined) return link
  const real = realpathSync(named)
  return judgePlace(real, statSync(real))
}

function judgePlace(path: string, stats: Stats): string | undefined {
  const directory = dirname(path)
  return whoCanWrite(`its directory ${directory}`, statSync(directory)) ?? whoCanWrite(path, stats)
}

/** The same of one thing alone, whose path plays no part. */
export function whoCanWrite(what: string, stats: Stats): string | undefined {
  if (stats.uid !== 0 && stats.uid !== process.geteuid?.()) return `${what} belongs to another user (${stats.uid})`
  // The mode of a link says nothing.
  if (stats.isSymbolicLink() || (stats.mode & OTHERS_WRITE) === 0) return undefined
  return `others can write to ${what} (mode ${(stats.mode & 0o7777).toString(8).padStart(4, '0')})`
}
