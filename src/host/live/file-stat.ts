import { constants, lstatSync, type Stats, statSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { showName } from '../../model/file-name.ts'
import { absent, type Observation, present, unknown } from '../../model/observation.ts'
import type { FileKind, FileStat } from '../target.ts'
import { answeringPath, isAnsweredFor } from './hanging.ts'
import { listNames } from './list-directory.ts'
import type { SystemStats } from './machine-files.ts'
import { errorCode, provesAbsence, unreadable } from './system-error.ts'

/** lstat(2): symbolic links are not followed. */
export function readLstat(path: string): Observation<FileStat> {
  return readStat(path, lstatSync)
}

/** stat(2): symbolic links are followed. A dangling link is absent. */
export function readFollowedStat(path: string): Observation<FileStat> {
  return readStat(path, statSync)
}

function readStat(path: string, call: typeof lstatSync): Observation<FileStat> {
  try {
    const stats = statUnlessAbsent(path, call)
    if (stats !== undefined) return present(describeStats(stats))
    if (!isAnsweredFor(resolve(path)) || !isDenied(path)) return absent()
    return unknown('not-observable', `${showName(path)}: listed in its directory, but "No such file or directory"`)
  } catch (error) {
    return unreadable(error, path)
  }
}

function statUnlessAbsent(path: string, call: typeof lstatSync): Stats | undefined {
  try {
    return call(answeringPath(path), { throwIfNoEntry: false })
  } catch (error) {
    if (provesAbsence(error)) return undefined
    throw error
  }
}

/** Whether a server or daemon reports ENOENT for an entry that it lists; a dangling link is no such case. */
function isDenied(path: string): boolean {
  try {
    const isListed = listNames(dirname(path)).includes(basename(path))
    // It may have been created meanwhile.
    return isListed && statUnlessAbsent(path, lstatSync) === undefined
  } catch (error) {
    if (provesAbsence(error)) return isDenied(dirname(path))
    // An unreadable directory does not contradict the absence.
    if (errorCode(error) === 'EACCES') return false
    throw error
  }
}

export function describeStats(stats: SystemStats): FileStat {
  return {
    kind: kindOf(stats),
    mode: stats.mode & 0o7777,
    uid: stats.uid,
    gid: stats.gid,
    sizeBytes: stats.size,
    modifiedMs: stats.mtimeMs,
    changedMs: stats.ctimeMs,
    inode: stats.ino,
    device: stats.dev,
    linkCount: stats.nlink,
  }
}

function kindOf(stats: SystemStats): FileKind {
  switch (stats.mode & constants.S_IFMT) {
    case constants.S_IFREG:
      return 'file'
    case constants.S_IFDIR:
      return 'directory'
    case constants.S_IFLNK:
      return 'symlink'
    case constants.S_IFIFO:
      return 'fifo'
    case constants.S_IFSOCK:
      return 'socket'
    case constants.S_IFBLK:
      return 'block-device'
    default:
      return 'character-device'
  }
}

/** Whether it is the same file, unmodified. */
export function isUnchanged(before: FileStat, after: FileStat): boolean {
  return (
    before.inode === after.inode &&
    before.device === after.device &&
    before.sizeBytes === after.sizeBytes &&
    before.modifiedMs === after.modifiedMs &&
    before.changedMs === after.changedMs
  )
}
