import { basename, join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { showName } from '../../core/file-name.ts'
import { known, type Reading } from '../../core/observation.ts'
import type { FileStat, Target } from '../../target/target.ts'
import type { ResourceContext } from '../../resource-type/define.ts'
import { compareTexts } from '../shared/contents.ts'
import { conflict, KIND_WORDS } from '../shared/paths.ts'
import { createDirectoryLook, type LookAtDirectory, parentOf } from './directories.ts'
import type { ScaffoldProperties } from './properties.ts'
import type { OpenSource } from './source.ts'
import type { Leftover, RenderedFile, ScaffoldFile, ScaffoldState, Sighting } from './state.ts'

type Directory = Extract<ScaffoldState, { kind: 'directory' }>

/** A rendered tree and the directory it belongs in, which exists. */
export interface Inspection {
  readonly target: Target
  readonly desired: ScaffoldProperties
  readonly context: ResourceContext
  /** What is rendered, for showing. */
  readonly exhibit: OpenSource['exhibit']
  readonly files: readonly RenderedFile[]
  readonly directories: readonly string[]
}

const NONE: Reading<readonly never[]> = known([])

/** How long the machine may be asked before everything else gets its turn, in milliseconds. */
const LONGEST_STRETCH_MS = 50

/** Compares every rendered file with what is in its place. */
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

/** Looks for rendered files that are there, whatever they contain. */
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
  const found = target.stat(path)
  if (found.kind === 'unknown') return found
  // A link that leads nowhere is replaced like one that leads to other content.
  if (found.kind === 'absent') return { kind: 'missing' }
  const stat = found.state
  if (stat.kind !== 'file') {
    return { kind: 'refused', observed: KIND_WORDS[stat.kind], reason: conflict(path, stat.kind, 'a file') }
  }
  const observed = target.digest(path, stat, context.signal)
  const judge = (digest: Awaited<typeof observed>): Sighting => {
    if (digest.kind === 'unknown') return digest
    if (digest.value.sha256 === file.digest.sha256) return { kind: 'equal' }
    const comparison = compareTexts(
      { digest: digest.value, read: (maxBytes) => target.readExhibit(path, maxBytes) },
      { digest: file.digest, read: () => known(exhibit(file.bytes)) },
      context,
    )
    const previous = file.hasPost ? readPrevious(target, path, stat) : undefined
    return {
      kind: 'different',
      observed: digest.value,
      attributes: { uid: stat.uid, gid: stat.gid, mode: stat.mode },
      comparison,
      ...(previous === undefined ? {} : { previous }),
    }
  }
  return observed instanceof Promise ? observed.then(judge) : judge(observed)
}

// Larger files are not kept in memory only in case that a command fails.
const MAX_PREVIOUS_BYTES = 16 * 1024 * 1024

function readPrevious(target: Target, path: string, { sizeBytes }: FileStat): Uint8Array | undefined {
  if (sizeBytes > MAX_PREVIOUS_BYTES) return undefined
  const bytes = target.readHead(path, sizeBytes + 1)
  return bytes.kind === 'known' && bytes.value.length === sizeBytes ? bytes.value : undefined
}

function findLeftovers({ target, desired, files }: Inspection, look: LookAtDirectory): Reading<readonly Leftover[]> {
  const leftovers: Leftover[] = []
  for (const { path } of files) {
    const parent = look(parentOf(path))
    if (parent.kind === 'unknown') return parent
    if (parent.kind === 'missing') continue
    const found = target.lstat(join(desired.name, path))
    if (found.kind === 'unknown') return found
    // A directory in the place of a file is not the scaffold's.
    if (found.kind === 'absent' || found.state.kind === 'directory') continue
    leftovers.push(parent.kind === 'refused' ? { path, refused: parent.reason } : { path })
  }
  return known(leftovers)
}

/**
 * What is in the target and not rendered. Links on the way of rendered files, and what they lead to, belong to them. What
 * is mounted in the target has its own place elsewhere and must not be removed there.
 */
function findUnexpected(
  { target, desired, files, directories }: Inspection,
  look: LookAtDirectory,
): Reading<readonly Leftover[]> {
  if (!desired.purge) return NONE
  const tree = target.listTree(desired.name)
  if (tree.kind === 'unknown') return tree
  const mounts = target.mountsWithin(desired.name)
  if (mounts.kind === 'unknown') return mounts
  const rendered = new Set(directories)
  for (const { path } of files) {
    rendered.add(path)
    const parent = look(parentOf(path))
    if (parent.kind === 'directory') rendered.add(join(parent.real, basename(path)))
  }
  // The target itself may well be mounted; its content is still what the policy names.
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
  return `something is mounted at ${showName(mount)}; unmount it first`
}
