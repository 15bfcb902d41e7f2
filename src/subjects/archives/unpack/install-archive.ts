import { chmodSync, mkdirSync, renameSync, rmdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { defined } from '../../../model/defined.ts'
import type { ApplyOutcome } from '../../../model/decision.ts'
import type { ExtractRequest } from '../../../host/remediator.ts'
import type { Journal } from '../../../host/live/journal.ts'
import { flush } from '../../../host/live/flush.ts'
import { openDirectory } from '../../../host/live/open-directory.ts'
import type { Place } from '../../../host/live/place.ts'
import { remove } from '../../../host/live/remove.ts'
import type { OpenRoot, Site } from '../../../host/live/site.ts'
import { errorCode } from '../../../host/live/system-error.ts'
import { temporaryName } from '../../../host/live/temporary-name.ts'
import { withChild } from './descend.ts'
import { extractFailure, setClosedModes, unpackInto } from './extract-archive.ts'
import { flushTree } from './flush-tree.ts'
import { handOnAttributes } from './hand-on.ts'
import { comingEntries, moveIntoPlace } from './move-into-place.ts'
import type { ClosedDirectory } from './stage.ts'

const DIRECTORY_MODE = 0o755

/**
 * Unpacks an archive into a directory, which is created with its parents if missing. Entries are unpacked into a staging
 * directory, checked, flushed, and then moved; any failure leaves the directory as before. Existing files that are not in the
 * archive stay.
 */
export async function installArchive(request: ExtractRequest, site: Site): Promise<ApplyOutcome> {
  const attempt = `cannot extract ${request.archive} into ${request.directory}`
  const opened = openDirectory(request.directory, site)
  if (opened.kind === 'failed') return { kind: 'failed', message: `${attempt}: ${opened.message}` }
  try {
    if (opened.kind === 'absent') return await installNew(request, { attempt, ...site })
    return await installInto(opened.directory, request, { attempt, ...site })
  } catch (error) {
    return extractFailure(error, attempt)
  } finally {
    if (opened.kind === 'open') opened.directory.close()
  }
}

interface Install extends Site {
  readonly attempt: string
}

/** The directory does not exist, so the whole tree is moved in one step. */
async function installNew(request: ExtractRequest, { attempt, ...site }: Install): Promise<ApplyOutcome> {
  const made: string[] = []
  const parent = openDirectory(dirname(request.directory), {
    ...site,
    create: (holder, name) => makeParent(holder, name, made),
  })
  if (parent.kind !== 'open') return { kind: 'failed', message: `${attempt}: ${parent.message}` }
  const { directory: holder } = parent
  const base = basename(request.directory)
  try {
    const stage = makeStage({ holder, path: dirname(request.directory) }, { base, ...site })
    try {
      const closed = await unpack(stage, request, site)
      chmodSync(stage.content.handle, DIRECTORY_MODE)
      return await runPlacing(request, [request.directory], () => {
        renameSync(stage.directory.entry('content'), holder.entry(base))
        withChild(holder, [base], (place) => setClosedModes(place, closed))
        flush(holder)
      })
    } finally {
      await discard(stage, site)
    }
  } catch (error) {
    removeParents(request.directory, made.length, site.root)
    throw error
  } finally {
    holder.close()
  }
}

async function installInto(destination: Place, request: ExtractRequest, site: Install): Promise<ApplyOutcome> {
  const stage = makeStageFor(destination, request.directory, site)
  try {
    const closed = await unpack(stage, request, { ...site, destination })
    const paths = comingEntries(stage.content, destination).map((inside) => join(request.directory, inside))
    return await runPlacing(request, paths, () => {
      const merged = moveIntoPlace({ staged: stage.content, destination, kept: stage.kept })
      setClosedModes(
        destination,
        closed.filter(({ components }) => !merged.has(components.join('/'))),
      )
    })
  } finally {
    await discard(stage, site)
  }
}

async function runPlacing(
  { placing }: ExtractRequest,
  paths: readonly string[],
  move: () => void,
): Promise<ApplyOutcome> {
  const moved = (): ApplyOutcome => {
    move()
    return { kind: 'done' }
  }
  return placing === undefined ? moved() : placing(paths, moved)
}

async function unpack(
  stage: Stage,
  request: ExtractRequest,
  { root, destination }: Pick<Site, 'root'> & { readonly destination?: Place },
): Promise<readonly ClosedDirectory[]> {
  const { archive, format, sha256, maxBytes, signal } = request
  const closed = await unpackInto(archive, stage.content, {
    root,
    format,
    limits: { maxBytes },
    signal,
    ...defined({ sha256 }),
  })
  if (destination !== undefined) await handOn(stage, destination, root)
  await flushTree(stage.content)
  return closed
}

async function handOn({ directory, path, content }: Stage, destination: Place, root: OpenRoot): Promise<void> {
  mkdirSync(directory.entry(REPLACED), { mode: 0o700 })
  const replaced = directory.child(REPLACED)
  try {
    await handOnAttributes({ staged: content, destination, replaced })
  } finally {
    replaced.close()
    await remove(join(path, REPLACED), { recursive: true, root })
  }
}

const REPLACED = 'replaced'

/** Private directory on the destination's file system: `content` for the archive, `kept` for replaced files. */
interface Stage {
  readonly path: string
  readonly directory: Place
  readonly content: Place
  readonly kept: Place
}

interface Where {
  readonly holder: Place
  readonly path: string
}

/** Next to the destination; inside it if the parent is another file system or not writable. */
function makeStageFor(destination: Place, path: string, { root, journal }: Site): Stage {
  const base = basename(path)
  const inside = { holder: destination, path }
  if (path === '/') return makeStage(inside, { base, journal })
  const parent = openDirectory(dirname(path), { root })
  if (parent.kind !== 'open') return makeStage(inside, { base, journal })
  const { directory: holder } = parent
  try {
    const beside = { holder, path: dirname(path) }
    const isUsable = canMove(beside, inside, { base, journal })
    return makeStage(isUsable ? beside : inside, { base, journal })
  } finally {
    holder.close()
  }
}

/** Determined by a test move: a mount point may have the same device number. */
function canMove(from: Where, to: Where, { base, journal }: { base: string; journal: Journal }): boolean {
  const name = temporaryName(base)
  const paths = [join(from.path, name), join(to.path, name)]
  for (const path of paths) journal.record(path)
  try {
    mkdirSync(from.holder.entry(name), { mode: 0o700 })
    renameSync(from.holder.entry(name), to.holder.entry(name))
    return true
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    return false
  } finally {
    removeEmpty(from.holder, name)
    removeEmpty(to.holder, name)
    for (const path of paths) journal.forget(path)
  }
}

function makeStage({ holder, path }: Where, { base, journal }: { base: string; journal: Journal }): Stage {
  const name = temporaryName(base)
  const stagePath = join(path, name)
  journal.record(stagePath)
  const opened: Place[] = []
  const make = (parent: Place, child: string): Place => {
    mkdirSync(parent.entry(child), { mode: 0o700 })
    const place = parent.child(child)
    opened.push(place)
    return place
  }
  try {
    const directory = make(holder, name)
    return { path: stagePath, directory, content: make(directory, 'content'), kept: make(directory, 'kept') }
  } catch (error) {
    for (const place of opened) place.close()
    removeEmpty(holder, name)
    journal.forget(stagePath)
    throw error
  }
}

/** Directories that cannot be removed now stay in the journal for the next run. */
async function discard({ path, directory, content, kept }: Stage, { root, journal }: Site): Promise<void> {
  for (const place of [content, kept, directory]) place.close()
  const outcome = await remove(path, { recursive: true, root })
  if (outcome.kind === 'done') journal.forget(path)
}

function makeParent(holder: Place, name: string, made: string[]): void {
  mkdirSync(holder.entry(name), { mode: DIRECTORY_MODE })
  // Independent of the umask.
  withChild(holder, [name], (place) => chmodSync(place.handle, DIRECTORY_MODE | (place.stats.mode & 0o2000)))
  made.push(name)
  flush(holder)
}

/** Removes newly created parents again, unless they have entries. */
function removeParents(path: string, count: number, root: OpenRoot): void {
  let parent = dirname(path)
  for (let left = count; left > 0; left--) {
    const holder = openDirectory(dirname(parent), { root })
    if (holder.kind !== 'open') return
    removeEmpty(holder.directory, basename(parent))
    holder.directory.close()
    parent = dirname(parent)
  }
}

function removeEmpty(holder: Place, name: string): void {
  try {
    rmdirSync(holder.entry(name))
  } catch (error) {
    if (errorCode(error) === undefined) throw error
  }
}
