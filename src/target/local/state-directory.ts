import { accessSync, constants, lstatSync, mkdirSync, readdirSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { answeringPath } from './hanging.ts'
import { errorCode, writeFailure } from './system-error.ts'

const OTHERS_WRITE = 0o022

/** What decides where state is kept. */
export interface StateSurroundings {
  readonly uid: number
  readonly home: string
  readonly temporary: string
  /** `XDG_STATE_HOME`. @see the XDG Base Directory Specification, which says that relative paths are ignored */
  readonly stateHome: string | undefined
}

/** Where state that outlives a run may be kept, best first. */
export function stateDirectories(surroundings: StateSurroundings): readonly string[] {
  const { uid, temporary } = surroundings
  return [regularDirectory(surroundings), join(temporary, `driftgate-${uid}`)]
}

/** Below the state directory a directory for each root directory below which a system was fixed. */
export const ROOTS = 'roots'

/**
 * Where the state of earlier runs of this user may lie, those below root directories included: what is there, belongs to them, and
 * nobody else can write in.
 */
export function ownStateDirectories(): readonly string[] {
  return stateDirectories(surroundings())
    .filter(isOwnDirectory)
    .flatMap((path) => {
      const roots = join(path, ROOTS)
      const names = isOwnDirectory(roots) ? readdirSync(roots) : []
      return [path, ...names.map((name) => join(roots, name)).filter(isOwnDirectory)]
    })
}

function isOwnDirectory(path: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  return stats?.isDirectory() === true && stats.uid === process.geteuid?.() && (stats.mode & OTHERS_WRITE) === 0
}

/** The state directory of the system for root, and of everybody else their own, given `XDG_STATE_HOME`. */
export function regularStateDirectory(stateHome: string | undefined): string {
  return regularDirectory({ ...surroundings(), stateHome })
}

function regularDirectory({ uid, home, stateHome }: StateSurroundings): string {
  const base = stateHome?.startsWith('/') === true ? stateHome : join(home, '.local/state')
  return uid === 0 ? '/var/lib/driftgate' : join(base, 'driftgate')
}

/**
 * Makes the first directory that can be used: it belongs to the running user and nobody else can write in it. Creates it
 * with its parents. The message says what is wrong with each where none can be used.
 */
export function prepareStateDirectory(
  candidates: readonly string[] = stateDirectories(surroundings()),
): { readonly kind: 'ready'; readonly path: string } | { readonly kind: 'failed'; readonly message: string } {
  const problems: string[] = []
  for (const path of candidates) {
    const problem = prepare(path)
    if (problem === undefined) return { kind: 'ready', path }
    problems.push(problem)
  }
  return { kind: 'failed', message: `no place for the state of a fix: ${problems.join('; ')}` }
}

function surroundings(): StateSurroundings {
  return {
    uid: process.geteuid?.() ?? 0,
    home: homedir(),
    temporary: tmpdir(),
    stateHome: process.env['XDG_STATE_HOME'],
  }
}

function prepare(path: string): string | undefined {
  try {
    answeringPath(path)
    makeDirectories(path)
    const stats = lstatSync(path)
    if (!stats.isDirectory()) return `${path} is not a directory`
    if (stats.uid !== process.geteuid?.()) return `${path} belongs to another user`
    if ((stats.mode & OTHERS_WRITE) !== 0) return `others can write in ${path}`
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK)
    return undefined
  } catch (error) {
    return writeFailure(error, `cannot use ${path}`).message
  }
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
