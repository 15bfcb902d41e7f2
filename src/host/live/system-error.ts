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
  EBUSY: 'it is in use, for instance as a mount point',
  EISDIR: 'a directory is in the way',
  EXDEV: 'it lies on another file system',
}

/** Why a file is not read or written although the system would let us: its message says so as the end of a sentence about it. */
export class RefusedFile extends Error {
  readonly code: 'REFUSED_FILE' | 'SILENT_FILE_SYSTEM'
  /** As that of an `Unknown`. */
  readonly needs?: 'running-system'

  constructor(message: string, code: RefusedFile['code'] = 'REFUSED_FILE') {
    super(message)
    this.code = code
  }
}

/** Whether an error, or one of its causes, is that a file system does not answer. */
export function isSilence(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause) {
    if (at instanceof RefusedFile && at.code === 'SILENT_FILE_SYSTEM') return true
  }
  return false
}

/** The code of a system call's failure such as `ENOENT`; undefined for anything else that was thrown. */
export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}

/** Whether the failure proves that the path does not exist. */
export function provesAbsence(error: unknown): boolean {
  const code = errorCode(error)
  return code === 'ENOENT' || code === 'ENOTDIR'
}

/**
 * What a failed read of the machine means: denied and unusable names have their own reason, everything else could not
 * be observed. Throws what is no failure of a system call again, because that is a defect.
 */
export function unreadable(error: unknown, path: string): Unknown {
  const code = errorCode(error)
  if (code === undefined) throw error
  const detail = code === 'ERR_INVALID_ARG_VALUE' ? 'the path holds a NUL character' : explain(error, code)
  const said = {
    kind: 'unknown',
    reason: REASONS[code] ?? 'not-observable',
    detail: `${showName(path)}: ${detail}`,
  } as const
  return error instanceof RefusedFile && error.needs !== undefined ? { ...said, needs: error.needs } : said
}

/** A change that failed. */
export interface LocalFailure {
  readonly kind: 'failed'
  readonly message: string
  /** The message without advice, where something that can be looked at may be in the way of root. */
  readonly notPermitted?: string
}

/** One sentence on a failed write: what was tried on which path, why it failed, and what helps. */
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
  // The error's own message names the path through a file descriptor, which tells the reader nothing.
  return getSystemErrorMap().get(number)?.[1] ?? code
}
