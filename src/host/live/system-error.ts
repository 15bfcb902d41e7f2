import { getSystemErrorMap } from 'node:util'
import { showName } from '../../model/file-name.ts'
import type { ErrorReason, Unknown } from '../../model/observation.ts'

const REASONS: Readonly<Record<string, ErrorReason>> = {
  EACCES: 'permission-denied',
  EPERM: 'permission-denied',
  ENAMETOOLONG: 'invalid',
  ERR_INVALID_ARG_VALUE: 'invalid',
  SILENT_FILE_SYSTEM: 'timeout',
}

const ADVICE: Readonly<Record<string, string>> = {
  ENOSPC: 'free some space on its file system and run the fix again',
  EDQUOT: "the owner's disk quota is used up; free some space and run the fix again",
  EROFS: 'its file system is mounted read-only; remount it writable and run the fix again',
  EACCES: 'run as root or as a user with write access',
  EPERM: 'run as root; for root, look for an immutable attribute with lsattr',
  EBUSY: 'it is in use, for example as a mount point',
  EISDIR: 'a directory is in the way',
  EXDEV: 'it is on another file system',
}

/**
 * A file that driftgate refuses to read or write, although the system would allow it; the message is the end of a
 * sentence about the file.
 */
export class RefusedFile extends Error {
  readonly code: 'REFUSED_FILE' | 'SILENT_FILE_SYSTEM'
  /** As in an `Unknown`. */
  readonly needs?: 'running-system'

  constructor(message: string, code: RefusedFile['code'] = 'REFUSED_FILE') {
    super(message)
    this.code = code
  }
}

/** Whether an error, or one of its causes, is a silent file system. */
export function isSilence(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause) {
    if (at instanceof RefusedFile && at.code === 'SILENT_FILE_SYSTEM') return true
  }
  return false
}

/** The code of a system error such as `ENOENT`; undefined for other values. */
export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}

export function provesAbsence(error: unknown): boolean {
  const code = errorCode(error)
  return code === 'ENOENT' || code === 'ENOTDIR'
}

/**
 * Converts a failed read to an `Unknown`: denied access and invalid names have their own reasons, all others are not
 * observable. Rethrows errors that are not system errors, because they are defects.
 */
export function unreadable(error: unknown, path: string): Unknown {
  const code = errorCode(error)
  if (code === undefined) throw error
  const detail = code === 'ERR_INVALID_ARG_VALUE' ? 'the path contains a NUL character' : explain(error, code)
  const said = {
    kind: 'unknown',
    reason: REASONS[code] ?? 'not-observable',
    detail: `${showName(path)}: ${detail}`,
  } as const
  return error instanceof RefusedFile && error.needs !== undefined ? { ...said, needs: error.needs } : said
}

/** A failed change. */
export interface LocalFailure {
  readonly kind: 'failed'
  readonly message: string
  /** The message without advice, if an inode flag may prevent root from the change. */
  readonly notPermitted?: string
}

/** A sentence on a failed write: the operation, its path, the reason and advice. */
export function writeFailure(error: unknown, attempt: string): LocalFailure {
  const code = errorCode(error)
  if (code === undefined) throw error
  const advice = ADVICE[code]
  const what = `${attempt}: ${explain(error, code)}`
  const message = advice === undefined ? what : `${what}; ${advice}`
  return code === 'EPERM' ? { kind: 'failed', message, notPermitted: what } : { kind: 'failed', message }
}

function explain(error: unknown, code: string): string {
  if (error instanceof RefusedFile) return error.message
  const number = error instanceof Error && 'errno' in error ? Number(error.errno) : Number.NaN
  // The error's own message may name a descriptor path, which does not help the user.
  return getSystemErrorMap().get(number)?.[1] ?? code
}
