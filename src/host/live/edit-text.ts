import type { Stats } from 'node:fs'
import { basename, dirname, isAbsolute } from 'node:path'
import type { ApplyOutcome } from '../../model/decision.ts'
import { describeStats, isUnchanged } from './file-stat.ts'
import { openDirectory } from './open-directory.ts'
import { findChild, type Place } from './place.ts'
import { readPlace } from './read-whole.ts'
import { ReplacementError } from './replaced-file.ts'
import type { Site } from './site.ts'
import { RefusedFile, writeFailure } from './system-error.ts'
import { isOursAlone, isTrusted } from './trust.ts'
import { MAX_LINKS } from './walk.ts'
import { writeFile } from './write-file.ts'

const LARGEST_BYTES = 4 * 1024 * 1024
const NEW_FILE = { defaultMode: 0o644 }

/** A file as read; `stats` is undefined if it does not exist. */
interface Known {
  readonly path: string
  readonly stats: Stats | undefined
  readonly text: string
}

/** Edits a text file and follows its links, as specified by `Remediator`. */
export async function editText(
  path: string,
  edit: (text: string) => string | undefined,
  site: Site,
): Promise<ApplyOutcome> {
  const before = read(path, site)
  if ('kind' in before) return before
  const text = edit(before.text)
  if (text === undefined || text === before.text) return { kind: 'done' }
  const content = { kind: 'bytes', bytes: Buffer.from(text) } as const
  const attributes = before.stats === undefined ? NEW_FILE : attributesOf(before.stats)
  const beforehand = (directory: Place): void => {
    if (isSame(before.stats, statsIn(directory, basename(before.path)))) return
    throw new ReplacementError('another program changed it at the same time; run the fix again')
  }
  return writeFile(before.path, content, attributes, { ...site, beforehand })
}

function attributesOf({ uid, gid, mode }: Stats): {
  readonly uid: number
  readonly gid: number
  readonly mode: number
} {
  return { uid, gid, mode: mode & 0o7777 }
}

function isSame(before: Stats | undefined, now: Stats | undefined): boolean {
  if (before === undefined || now === undefined) return before === now
  return isUnchanged(describeStats(before), describeStats(now))
}

type Failed = Extract<ApplyOutcome, { kind: 'failed' }>

/** Reads the file at the end of the path; follows only links that other users cannot change. */
function read(path: string, { root }: Site): Known | Failed {
  const attempt = `cannot edit ${path}`
  try {
    let at = path
    for (let links = 0; links <= MAX_LINKS; links++) {
      const parent = openDirectory(dirname(at), { root })
      if (parent.kind !== 'open') return { kind: 'failed', message: `${attempt}: ${parent.message}` }
      const found = readIn(parent.directory, at)
      if (typeof found !== 'string' && found.stats === undefined && links > 0)
        throw new RefusedFile('it is a dangling symbolic link')
      if (typeof found !== 'string') return found
      at = found
    }
    throw new RefusedFile('too many symbolic links')
  } catch (error) {
    return writeFailure(error, attempt)
  }
}

/** Reads the file of a path in a directory, and closes the directory; returns the target path if it is a link. */
function readIn(directory: Place, at: string): Known | string {
  let file: Place | undefined
  try {
    file = findChild(directory, basename(at))
    if (file?.stats.isSymbolicLink() === true) return whereLinkLeads(directory, file, at)
    return { path: at, stats: file?.stats, text: file === undefined ? '' : decodeText(readPlace(file, LARGEST_BYTES)) }
  } finally {
    file?.close()
    directory.close()
  }
}

function whereLinkLeads(directory: Place, link: Place, at: string): string {
  if (!isTrusted(link.stats.uid) || !isOursAlone(directory.stats))
    throw new RefusedFile('it is a symbolic link that other users can change; use the real path')
  const target = directory.linkTarget(basename(at))
  // `..` is left to the system to resolve: parent directories may be links.
  return isAbsolute(target) ? target : `${dirname(at)}/${target}`
}

function decodeText(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new RefusedFile('it is not UTF-8 text')
  }
}

function statsIn(directory: Place, name: string): Stats | undefined {
  const place = findChild(directory, name)
  place?.close()
  return place?.stats
}
