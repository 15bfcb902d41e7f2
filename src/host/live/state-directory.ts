import { accessSync, constants, lstatSync, mkdirSync, readdirSync, type Stats } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { OperatorError } from '../../model/operator-error.ts'
import { answeringPath } from './hanging.ts'
import { homeOfAccount, homeOfEnvironment } from './own-home.ts'
import { errorCode, writeFailure } from './system-error.ts'

const OTHERS_WRITE = 0o022

/** What decides where state is kept. */
export interface StateSurroundings {
  readonly uid: number
  /** Undefined for a user without HOME and without an account. */
  readonly home: string | undefined
  /** `XDG_STATE_HOME`. @see the XDG Base Directory Specification, which says that relative paths are ignored */
  readonly stateHome: string | undefined
}

/** Below the state directory a directory for each root directory below which a system was fixed. */
export const ROOTS = 'roots'

/**
 * The directories with the state of earlier runs of this user: the state directory, and those in it for root directories. None where there
 * is no state yet. Throws an `OperatorError` for a directory whose content other users could have made.
 */
export function ownStateDirectories(path: string | undefined = regularDirectory(surroundings())): readonly string[] {
  if (path === undefined || !isOwnDirectory(path)) return []
  const roots = join(path, ROOTS)
  const names = isOwnDirectory(roots) ? readdirSync(roots) : []
  return [path, ...names.map((name) => join(roots, name)).filter(isOwnDirectory)]
}

/** The state directory itself, of the directory with the state of a root directory, too. */
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
 * The state directory of the system for root, and of every other user their own, given `XDG_STATE_HOME`; undefined for a user without HOME
 * and without an account.
 */
export function regularStateDirectory(stateHome: string | undefined): string | undefined {
  return regularDirectory({ ...surroundings(), stateHome })
}

function regularDirectory({ uid, home, stateHome }: StateSurroundings): string | undefined {
  if (uid === 0) return '/var/lib/driftgate'
  if (stateHome?.startsWith('/') === true) return join(stateHome, 'driftgate')
  return home === undefined ? undefined : join(home, '.local/state/driftgate')
}

/**
 * Makes the state directory, with its parents, unless it is there: it belongs to the running user and no other user can write in it. There is
 * no other place: what has to outlive a restart is not kept where a restart empties. The message says how to give another directory.
 */
export function prepareStateDirectory(
  path: string | undefined = regularDirectory(surroundings()),
): { readonly kind: 'ready'; readonly path: string } | { readonly kind: 'failed'; readonly message: string } {
  const problem = path === undefined ? 'the user has no home directory' : prepare(path)
  if (path !== undefined && problem === undefined) return { kind: 'ready', path }
  return { kind: 'failed', message: `no place for the state of a fix: ${problem}; --state-dir names another directory` }
}

function surroundings(): StateSurroundings {
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
  return (stats.mode & OTHERS_WRITE) === 0 ? undefined : `other users can write in it; run "chmod go-w ${path}" first`
}

/**
 * Makes a directory and those above it where they are missing, for their owner alone. Node's own recursive mkdir never
 * returns where the system refuses new entries with ENOENT, as /proc does.
 */
export function makeDirectories(path: string): void {
  try {
    make(path)
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error
    makeDirectories(dirname(path))
    make(path)
  }
}

function make(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error
  }
}
