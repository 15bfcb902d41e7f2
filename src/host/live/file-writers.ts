import { dirname } from 'node:path'
import process from 'node:process'
import type { ApplyOutcome } from '../../model/decision.ts'
import { showName } from '../../model/file-name.ts'
import type { Remediator } from '../remediator.ts'
import { adjustAttributes, setAttributes } from './attributes.ts'
import { createDirectory, createMissingDirectories } from './create-directory.ts'
import type { TransferOptions } from '../http/transfer.ts'
import { remove, removeEmptyDirectory } from './remove.ts'
import { setOwner } from './set-owner.ts'
import type { OpenRoot, Site } from './site.ts'
import { writeFile } from './write-file.ts'
import { openRoot } from './place.ts'
import type { LocalFailure } from './system-error.ts'

/** The methods of `Remediator` that change files. */
export type FileWriters = Pick<
  Remediator,
  | 'writeFile'
  | 'editText'
  | 'setAttributes'
  | 'setAccess'
  | 'adjustAttributes'
  | 'setOwner'
  | 'createDirectory'
  | 'remove'
  | 'removeEmptyDirectory'
  | 'download'
  | 'extract'
>

/** Writes files below the root of a site; the writers see nothing else. */
export function createFileWriters(site: Site, options: TransferOptions | undefined): FileWriters {
  const { root } = site
  return {
    writeFile: async (path, content, attributes, { inPlace = false } = {}) => {
      const write = inPlace ? (await import('./write-in-place.ts')).writeInPlace : writeFile
      return explainFailure(site, path, write(path, content, attributes, site))
    },
    editText: async (path, edit) =>
      explainFailure(site, path, (await import('./edit-text.ts')).editText(path, edit, site)),
    setAttributes: (path, attributes) => applyWrite(site, path, () => setAttributes(path, attributes, root)),
    setAccess: async (path, change) =>
      explainFailure(site, path, (await import('./access/change.ts')).setAccess(path, change, root)),
    adjustAttributes: (path, change) => applyWrite(site, path, () => adjustAttributes(path, change, root)),
    setOwner: (path, ownership, how) => explainFailure(site, path, setOwner(path, ownership, { ...how, root })),
    createDirectory: (path, attributes) =>
      applyWrite(site, path, () =>
        'defaultMode' in attributes
          ? createMissingDirectories(path, attributes, root)
          : createDirectory(path, attributes, site),
      ),
    remove: (path, { recursive }) => explainFailure(site, path, remove(path, { recursive, root })),
    // Loaded on demand: few policies download or extract anything.
    download: async (request) => (await import('../http/download.ts')).download(request, site, options),
    extract: async (request) =>
      (await import('../../subjects/archives/unpack/install-archive.ts')).installArchive(request, site),
    removeEmptyDirectory: (path) => explainFailure(site, path, removeEmptyDirectory(path, root)),
  }
}

async function applyWrite(site: Site, path: string, call: () => ApplyOutcome): Promise<ApplyOutcome> {
  return explainFailure(site, path, call())
}

/** Makes names in the message printable. */
async function explainFailure(
  { root }: Site,
  path: string,
  outcome: ApplyOutcome | Promise<ApplyOutcome>,
): Promise<ApplyOutcome> {
  const settled = await explainNotPermitted(path, await outcome, root)
  return settled.kind === 'failed' ? { ...settled, message: showName(settled.message) } : settled
}

/**
 * The inode flag of a path or its directory that prevents root from changing it. Undefined without one, if the
 * flags are unreadable, and for other users, who may not change it anyway.
 */
async function protectionOf(path: string): Promise<string | undefined> {
  if (process.geteuid?.() !== 0) return undefined
  const { openAccessReader } = await import('./access/reader.ts')
  const places = [path, dirname(path)]
  const seen = await openAccessReader().flags(places)
  for (const [index, flags] of seen.entries()) {
    if (flags.kind === 'unknown' || flags.value === undefined) continue
    const place = places[index] ?? path
    const what = index === 0 ? place : `its directory ${place}`
    if (flags.value.immutable)
      return `${what} is immutable: clear the flag with chattr -i, or with a fix of file#${place} with "immutable: false"`
    if (flags.value.appendOnly) return `${what} is append-only: clear the flag with chattr -a`
  }
  return undefined
}

/** The outcome of a change; if it was not permitted for root, the message names the protecting flag. */
async function explainNotPermitted(
  path: string,
  outcome: ApplyOutcome | LocalFailure,
  root: OpenRoot,
): Promise<ApplyOutcome> {
  if (!('notPermitted' in outcome)) return outcome
  const { notPermitted, ...failure } = outcome
  // Flags can only be read by paths of this machine.
  const protection = root === openRoot ? await protectionOf(path) : undefined
  return protection === undefined ? failure : { ...failure, message: `${notPermitted}; ${protection}` }
}
