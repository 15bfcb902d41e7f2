import { basename, dirname, join, relative } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { defined } from '../../model/defined.ts'
import { showName } from '../../model/file-name.ts'
import { known, type Reading, type Unknown } from '../../model/observation.ts'
import type { FileStat, Target } from '../../host/target.ts'
import type { ResourceContext } from '../../resource-type/define.ts'
import { compareTexts } from '../shared/contents.ts'
import { conflict, KIND_WORDS } from '../shared/paths.ts'
import type { OpenSource } from './templates.ts'
import type { Leftover, RenderedFile, ScaffoldFile, ScaffoldState, Sighting, ScaffoldDesired } from './state.ts'

type Directory = Extract<ScaffoldState, { kind: 'directory' }>

/** Rendered tree, and its target directory, which exists. */
export interface Inspection {
  readonly target: Target
  readonly desired: ScaffoldDesired
  readonly context: ResourceContext
  /** Exhibit of rendered content. */
  readonly exhibit: OpenSource['exhibit']
  readonly files: readonly RenderedFile[]
  readonly directories: readonly string[]
}

const NONE: Reading<readonly never[]> = known([])

/** Maximum time of synchronous reads before the event loop runs, in milliseconds. */
const LONGEST_STRETCH_MS = 50

/** Compares every rendered file with the file on the target. */
export async function inspectPresent(inspection: Inspection): Promise<Directory> {
  const { target, desired, context, directories } = inspection
  const look = createDirectoryLook(target, desired.name)
  const files: ScaffoldFile[] = []
  let stretchStart = performance.now()
  for (const file of inspection.files) {
    if (performance.now() - stretchStart > LONGEST_STRETCH_MS) {
      await setImmediate()
      context.signal.throwIfAborted()
      stretchStart = performance.now()
    }
    const seen = lookAtFile(inspection, look, file)
    files.push({ ...file, seen: seen instanceof Promise ? await seen : seen })
  }
  return {
    kind: 'directory',
    files,
    leftovers: NONE,
    missingDirectories: directories.filter((path) => look(path).kind === 'missing'),
    unexpected: findUnexpected(inspection, look),
  }
}

/** Finds existing rendered files with any content. */
export function inspectAbsent(inspection: Inspection): Directory {
  const look = createDirectoryLook(inspection.target, inspection.desired.name)
  return {
    kind: 'directory',
    files: [],
    leftovers: findLeftovers(inspection, look),
    missingDirectories: [],
    unexpected: findUnexpected(inspection, look),
  }
}

function lookAtFile(
  { target, desired, context, exhibit }: Inspection,
  look: LookAtDirectory,
  file: RenderedFile,
): Sighting | Promise<Sighting> {
  const parent = look(parentOf(file.path))
  if (parent.kind === 'unknown' || parent.kind === 'missing') return parent
  if (parent.kind === 'refused') return { ...parent, observed: 'absent' }
  const path = join(desired.name, file.path)
  const found = target.files.stat(path)
  if (found.kind === 'unknown') return found
  // A dangling link is replaced like a link to other content.
  if (found.kind === 'absent') return { kind: 'missing' }
  const stat = found.state
  if (stat.kind !== 'file') {
    return { kind: 'refused', observed: KIND_WORDS[stat.kind], reason: conflict(path, stat.kind, 'a file') }
  }
  const observed = target.files.digest(path, stat, context.signal)
  const judge = (digest: Awaited<typeof observed>): Sighting => {
    if (digest.kind === 'unknown') return digest
    if (digest.value.sha256 === file.digest.sha256) return { kind: 'equal' }
    const comparison = compareTexts(
      { digest: digest.value, read: (maxBytes) => target.files.readExhibit(path, maxBytes) },
      { digest: file.digest, read: () => known(exhibit(file.bytes)) },
      context,
    )
    const previous = file.hasPost ? readPrevious(target, path, stat) : undefined
    return {
      kind: 'different',
      observed: digest.value,
      attributes: { uid: stat.uid, gid: stat.gid, mode: stat.mode },
      comparison,
      ...defined({ previous }),
    }
  }
  return observed instanceof Promise ? observed.then(judge) : judge(observed)
}

// Larger files are not kept in memory in case a command fails.
const MAX_PREVIOUS_BYTES = 16 * 1024 * 1024

function readPrevious(target: Target, path: string, { sizeBytes }: FileStat): Uint8Array | undefined {
  if (sizeBytes > MAX_PREVIOUS_BYTES) return undefined
  const bytes = target.files.readHead(path, sizeBytes + 1)
  return bytes.kind === 'known' && bytes.value.length === sizeBytes ? bytes.value : undefined
}

function findLeftovers({ target, desired, files }: Inspection, look: LookAtDirectory): Reading<readonly Leftover[]> {
  const leftovers: Leftover[] = []
  for (const { path } of files) {
    const parent = look(parentOf(path))
    if (parent.kind === 'unknown') return parent
    if (parent.kind === 'missing') continue
    const found = target.files.lstat(join(desired.name, path))
    if (found.kind === 'unknown') return found
    // A directory in the place of a file does not belong to the scaffold.
    if (found.kind === 'absent' || found.state.kind === 'directory') continue
    leftovers.push(parent.kind === 'refused' ? { path, refused: parent.reason } : { path })
  }
  return known(leftovers)
}

/**
 * Files in the target that are not rendered. Links in the paths of rendered files belong to the scaffold, and so do their
 * targets. Mounted trees are skipped: they exist elsewhere too and must not be removed there.
 */
function findUnexpected(
  { target, desired, files, directories }: Inspection,
  look: LookAtDirectory,
): Reading<readonly Leftover[]> {
  if (!desired.purge) return NONE
  const tree = target.files.listTree(desired.name)
  if (tree.kind === 'unknown') return tree
  const mounts = target.files.mountsWithin(desired.name)
  if (mounts.kind === 'unknown') return mounts
  const rendered = new Set(directories)
  for (const { path } of files) {
    rendered.add(path)
    const parent = look(parentOf(path))
    if (parent.kind === 'directory') rendered.add(join(parent.real, basename(path)))
  }
  // The target itself may be a mount point; the policy still names its content.
  const below = mounts.value.filter((mount) => mount !== '')
  return known(
    tree.value.flatMap(({ path, kind }) => {
      if (kind === 'directory' || rendered.has(path)) return []
      const mount = below.find((each) => path === each || path.startsWith(`${each}/`))
      return [mount === undefined ? { path } : { path, refused: mountedBelow(join(desired.name, mount)) }]
    }),
  )
}

function mountedBelow(mount: string): string {
  return `a file system is mounted at ${showName(mount)}; unmount it first`
}

/** Directory of a scaffold on the target. `real` is its path relative to the target, with links resolved. */
type DirectorySight =
  | { readonly kind: 'directory'; readonly real: string }
  | { readonly kind: 'missing' }
  /** Not a directory, or a link out of the target. */
  | { readonly kind: 'refused'; readonly reason: string }
  | Unknown

/** Observes a directory by its path relative to the target; the empty path is the target. */
type LookAtDirectory = (path: string) => DirectorySight

/** Observes each directory below an existing target once. Links to directories are followed inside the target. */
function createDirectoryLook(target: Target, root: string): LookAtDirectory {
  const seen = new Map<string, DirectorySight>([['', { kind: 'directory', real: '' }]])
  const look: LookAtDirectory = (path) => {
    const known = seen.get(path)
    if (known !== undefined) return known
    const above = look(parentOf(path))
    const sight = above.kind === 'directory' ? lookBelow(target, root, path, above.real) : above
    seen.set(path, sight)
    return sight
  }
  return look
}

/** Parent directory of a relative path; empty for entries of the target itself. */
export function parentOf(path: string): string {
  const parent = dirname(path)
  return parent === '.' ? '' : parent
}

function lookBelow(target: Target, root: string, path: string, realParent: string): DirectorySight {
  const full = join(root, path)
  const found = target.files.lstat(full)
  if (found.kind === 'unknown') return found
  if (found.kind === 'absent') return { kind: 'missing' }
  const { kind } = found.state
  if (kind === 'directory') return { kind, real: join(realParent, basename(path)) }
  return kind === 'symlink' ? lookThrough(target, root, full) : refusedDirectory(conflict(full, kind, 'a directory'))
}

function lookThrough(target: Target, root: string, link: string): DirectorySight {
  const realRoot = target.files.realPath(root)
  const real = target.files.realPath(link)
  const found = target.files.stat(link)
  if (realRoot.kind === 'unknown') return realRoot
  if (real.kind === 'unknown') return real
  if (found.kind === 'unknown') return found
  if (realRoot.value === null || real.value === null || found.kind === 'absent') {
    return refusedDirectory(`${link} is a dangling symbolic link`)
  }
  if (found.state.kind !== 'directory') return refusedDirectory(conflict(link, found.state.kind, 'a directory'))
  const place = relative(realRoot.value, real.value)
  if (place === '..' || place.startsWith('../')) {
    return refusedDirectory(`${link} is a symbolic link to a path outside ${root}`)
  }
  return { kind: 'directory', real: place }
}

function refusedDirectory(reason: string): DirectorySight {
  return { kind: 'refused', reason }
}
