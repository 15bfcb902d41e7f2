import { accessSync, constants, lstatSync, mkdirSync, readdirSync, type Stats } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { OperatorError } from '../../model/operator-error.ts'
import { answeringPath } from './hanging.ts'
import { homeOfAccount, homeOfEnvironment } from './own-home.ts'
import { errorCode, writeFailure } from './system-error.ts'

const OTHERS_WRITE = 0o022

/** The inputs that determine the state directory. */
export interface StateSurroundings {
  readonly uid: number
  /** Undefined for a user without HOME and without an account. */
  readonly home: string | undefined
  /** `XDG_STATE_HOME`; relative paths are ignored. @see XDG Base Directory Specification */
  readonly stateHome: string | undefined
}

/** Subdirectory of the state directory for root directories, with one directory for each fixed root. */
export const ROOTS = 'roots'

/**
 * The existing state directories of this user: the state directory, and those in it for root directories. Throws an
 * `OperatorError` for a directory whose content other users could have created.
 */
export function ownStateDirectories(
  path: string | undefined = regularDirectory(readSurroundings()),
): readonly string[] {
  if (path === undefined || !isOwnDirectory(path)) return []
  const roots = join(path, ROOTS)
  const names = isOwnDirectory(roots) ? readdirSync(roots) : []
  return [path, ...names.map((name) => join(roots, name)).filter(isOwnDirectory)]
}

/** The state directory that contains the state of a root directory; any other path is returned unchanged. */
export function baseOfState(path: string): string {
  const above = dirname(path)
  return basename(above) === ROOTS ? dirname(above) : path
}

function isOwnDirectory(path: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (stats === undefined) return false
  const problem = problemOf(path, stats)
  if (problem !== undefined) throw new OperatorError(`cannot use ${path}: ${problem}`)
  return true
}

/**
 * The state directory: the system's for root, a personal one for other users, given `XDG_STATE_HOME`. Undefined for a
 * user without HOME and without an account.
 */
export function regularStateDirectory(stateHome: string | undefined): string | undefined {
  return regularDirectory({ ...readSurroundings(), stateHome })
}

function regularDirectory({ uid, home, stateHome }: StateSurroundings): string | undefined {
  if (uid === 0) return '/var/lib/driftgate'
  if (stateHome?.startsWith('/') === true) return join(stateHome, 'driftgate')
  return home === undefined ? undefined : join(home, '.local/state/driftgate')
}

/**
 * Creates the state directory and its parents if missing; it must belong to the running user and be writable only by
 * that user. There is no fallback such as /tmp, because state must survive a reboot. The message names the option for
 * another directory.
 */
export function prepareStateDirectory(
  path: string | undefined = regularDirectory(readSurroundings()),
): { readonly kind: 'ready'; readonly path: string } | { readonly kind: 'failed'; readonly message: string } {
  const problem = path === undefined ? 'the user has no home directory' : prepare(path)
  if (path !== undefined && problem === undefined) return { kind: 'ready', path }
  return {
    kind: 'failed',
    message: `no directory for the state of a fix: ${problem}; set another one with --state-dir`,
  }
}

function readSurroundings(): StateSurroundings {
  return {
    uid: process.geteuid?.() ?? 0,
    home: homeOfEnvironment() ?? homeOfAccount(),
    stateHome: process.env['XDG_STATE_HOME'],
  }
}

function prepare(path: string): string | undefined {
  try {
    answeringPath(path)
    makeDirectories(path)
    const problem = problemOf(path, lstatSync(path))
    if (problem !== undefined) return `cannot use ${path}: ${problem}`
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK)
    return undefined
  } catch (error) {
    return writeFailure(error, `cannot use ${path}`).message
  }
}

function problemOf(path: string, stats: Stats): string | undefined {
  if (!stats.isDirectory()) return 'it is not a directory'
  if (stats.uid !== process.geteuid?.()) return 'it belongs to another user'
  return (stats.mode & OTHERS_WRITE) === 0 ? undefined : `other users can write to it; run "chmod go-w ${path}" first`
}

/**
 * Creates a directory and its missing parents with mode 0700. Node's recursive mkdir never returns where the system
 * fails with ENOENT, as in /proc.
 */
export function makeDirectories(path: string): void {
  try {
    makeDirectory(path)
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error
    makeDirectories(dirname(path))
    makeDirectory(path)
  }
}

function makeDirectory(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error
  }
}
