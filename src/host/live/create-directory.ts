import { chmodSync, mkdirSync, renameSync, rmdirSync, unlinkSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { ApplyOutcome } from '../../model/decision.ts'
import type { DefaultAttributes, FileAttributes } from '../remediator.ts'
import { applyExactly, applyToDirectory } from './attributes.ts'
import type { Journal } from './journal.ts'
import { flush } from './flush.ts'
import { openDirectory } from './open-directory.ts'
import { findChild, openRoot, type Place } from './place.ts'
import type { OpenRoot, Site } from './site.ts'
import { errorCode, writeFailure } from './system-error.ts'
import { temporaryName } from './temporary-name.ts'

/**
 * Creates a directory and its parents where missing, with that mode regardless of the umask. Existing ones are
 * unchanged; links on the path are followed as for every write.
 */
export function createMissingDirectories(
  path: string,
  { defaultMode }: DefaultAttributes,
  root: OpenRoot = openRoot,
): ApplyOutcome {
  const opened = openDirectory(path, { root, create: (holder, name) => makeParent(holder, name, defaultMode) })
  if (opened.kind !== 'open') return { kind: 'failed', message: `cannot create directory ${path}: ${opened.message}` }
  opened.directory.close()
  return { kind: 'done' }
}

/**
 * Creates a directory and its parents, or sets the attributes of an existing one. A new one gets owner and mode under a
 * temporary name before it is renamed, so it is never visible with others. A symbolic link at the path is replaced.
 * Missing parents get 0755 or `parentsMode`, regardless of the umask, and belong to the running user.
 */
export function createDirectory(path: string, attributes: FileAttributes, { root, journal }: Site): ApplyOutcome {
  const attempt = `cannot create directory ${path}`
  const create = (holder: Place, name: string): void => makeParent(holder, name, attributes.parentsMode ?? PARENTS_MODE)
  const parent = openDirectory(dirname(path), { root, create })
  if (parent.kind !== 'open') return { kind: 'failed', message: `${attempt}: ${parent.message}` }
  try {
    const existing = path === '/' ? root() : findChild(parent.directory, basename(path))
    if (existing === undefined) make(parent.directory, path, { attributes, journal, replaceLink: false })
    else if (existing.stats.isSymbolicLink()) make(parent.directory, path, { attributes, journal, replaceLink: true })
    else if (existing.stats.isDirectory()) adjust(existing, attributes)
    else return { kind: 'failed', message: `${attempt}: it exists but is not a directory; remove it first` }
    existing?.close()
    return { kind: 'done' }
  } catch (error) {
    return writeFailure(error, attempt)
  } finally {
    parent.directory.close()
  }
}

const PARENTS_MODE = 0o755

function makeParent(holder: Place, name: string, mode: number): void {
  try {
    mkdirSync(holder.entry(name), { mode })
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return
    throw error
  }
  const made = holder.child(name)
  // Keeps the set-gid bit that is inherited from the parent.
  chmodSync(made.handle, mode | (made.stats.mode & 0o2000))
  made.close()
  flush(holder)
}

function adjust(existing: Place, attributes: FileAttributes): void {
  applyToDirectory(existing, attributes)
  flush(existing)
}

interface MakeInput {
  readonly attributes: FileAttributes
  readonly journal: Journal
  readonly replaceLink: boolean
}

function make(directory: Place, path: string, { attributes, journal, replaceLink }: MakeInput): void {
  const name = temporaryName(basename(path))
  const temporary = join(dirname(path), name)
  journal.record(temporary)
  try {
    mkdirSync(directory.entry(name), { mode: 0o700 })
    const made = directory.child(name)
    try {
      applyExactly(made, attributes)
    } finally {
      made.close()
    }
    // rename(2) cannot replace a link with a directory.
    if (replaceLink) unlinkSync(directory.entry(basename(path)))
    renameSync(directory.entry(name), directory.entry(basename(path)))
    journal.forget(temporary)
  } catch (error) {
    if (discard(directory.entry(name))) journal.forget(temporary)
    throw error
  }
  flush(directory)
}

function discard(temporary: string | Buffer): boolean {
  try {
    rmdirSync(temporary)
    return true
  } catch (error) {
    return errorCode(error) === 'ENOENT'
  }
}
