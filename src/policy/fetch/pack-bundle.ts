import { createHash } from 'node:crypto'
import { readdirSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { archiveFormat } from '../../host/archive/archive-format.ts'
import { readWhole } from '../../host/live/read-whole.ts'
import { errorCode } from '../../host/live/system-error.ts'
import { archiveOf, filesOfArchive, MANIFEST, type PackedFile } from './bundle-archive.ts'
import { localSource, reasonOf } from './files.ts'
import { whyPrivate } from './private-file.ts'
import { isAddress } from './remote.ts'
import { withShipped } from './shipped.ts'

/** What a bundle may hold; far more is a folder that holds something else, too. */
const MOST_FILES = 10_000
const MOST_BYTES = 64 * 1024 * 1024

/** Never a part of a policy, unless the policy names it. */
const LEFT_OUT = /^(\.|node_modules$)/

/** What a policy names, and what may be packed although it looks private. */
export interface PackOptions {
  /** Files and folders, absolute, with the places that name them: `site.yaml:3`. */
  readonly named?: readonly { readonly path: string; readonly by: string }[]
  /** Private files that the operator wants every host to have. */
  readonly allowPrivate?: readonly string[]
}

/** A file of a bundle, for people. */
export interface BundleEntry {
  readonly path: string
  readonly sizeBytes: number
  readonly sha256: string
  /** What brought it in: `site.yaml:3`. */
  readonly by: string
}

/** A bundle, what it holds, and what was left out. */
export interface Bundle {
  readonly bytes: Uint8Array
  readonly entries: readonly BundleEntry[]
  readonly leftOut: readonly { readonly path: string; readonly reason: string }[]
}

/**
 * The bundle of one policy: a file with what it names, a folder that is a bundle unpacked, a policy that ships (`@ssh`), or a bundle
 * (`.tar.gz`) as it is. Private keys and what else is not for every host is left out, or refused where the policy names it. The same files
 * make the same bytes; owners and times of files are left out.
 */
export async function packBundle(
  source: string,
  options: PackOptions = {},
): Promise<Bundle | { readonly message: string }> {
  const wrong = (reason: string): { readonly message: string } => ({ message: `${source} cannot be packed: ${reason}` })
  if (source === '-' || isAddress(source)) return wrong('name a policy or a bundle that lies on this machine')
  const format = archiveFormat(source)
  if (format !== undefined && format !== 'tar.gz')
    return wrong('of bundles only those called .tar.gz or .tgz are known here')
  try {
    if (format === 'tar.gz') return await packed(source, options)
    if (!source.startsWith('@')) {
      const packing = packingOf(source, options)
      return { bytes: await archiveOf(packing.files), entries: entriesOf(packing), leftOut: packing.leftOut }
    }
    const read = await withShipped(localSource).read(source)
    if ('message' in read) return read
    const files = new Map([[MANIFEST, { bytes: read.bytes, mode: 0o644, by: source }]])
    return { bytes: await archiveOf(files), entries: entriesOf({ files }), leftOut: [] }
  } catch (error) {
    return wrong(error instanceof Refused ? error.message : reasonOf(error))
  }
}

class Refused extends Error {}

interface NamedFile extends PackedFile {
  readonly by: string
}

interface Packing {
  readonly files: Map<string, NamedFile>
  readonly leftOut: { readonly path: string; readonly reason: string }[]
}

function entriesOf({ files }: Pick<Packing, 'files'>): readonly BundleEntry[] {
  return [...files].map(([path, { bytes, by }]) => {
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    return { path, sizeBytes: bytes.length, sha256, by }
  })
}

/** Modes of an archive say how it was packed, not who could read what lay there. */
async function packed(source: string, { allowPrivate = [] }: PackOptions): Promise<Bundle> {
  const bytes = readWhole(source, MOST_BYTES)
  const files = new Map<string, NamedFile>()
  for (const [path, file] of await filesOfArchive(bytes)) {
    const reason = whyPrivate(path, file.bytes, file.mode | 0o044)
    if (reason !== undefined && !allowPrivate.includes(path)) throw refused(path, reason, `in ${source}`)
    files.set(path, { ...file, by: source })
  }
  return { bytes, entries: entriesOf({ files }), leftOut: [] }
}

function refused(path: string, reason: string, by: string): Refused {
  return new Refused(
    `${path} (${by}) would be on every host, and ${reason}: take it out of the policy, or say --allow-private ${path}`,
  )
}

/** The files of a bundle by their paths in it. Throws what the system says, and `Refused`. */
function packingOf(source: string, { named = [], allowPrivate = [] }: PackOptions): Packing {
  const isFolder = statSync(source).isDirectory()
  const folder = resolve(isFolder ? source : dirname(source))
  const packer = createPacker(folder, new Set(allowPrivate.map((path) => realpathSync(path))))
  // The operator has named the policy: that alone allows hosts to have it, so its mode does not count.
  if (!isFolder) packer.manifest(basename(source))
  for (const { path, by } of named) {
    const inside = insideOf(folder, path)
    if (inside === MANIFEST && !isFolder && basename(source) !== MANIFEST)
      throw new Refused(`its folder holds another ${MANIFEST}, and a bundle has one: name the folder`)
    if (inside === undefined) throw new Refused(`${relative(folder, path)} (${by}) leads out of its folder`)
    packer.named(inside, by)
  }
  if (isFolder) packer.tree(`in ${source}`)
  const unused = packer.unused()
  if (unused !== undefined) throw new Refused(`--allow-private ${unused} is no private file that the policy names`)
  return packer
}

function insideOf(folder: string, path: string): string | undefined {
  const inside = relative(folder, path)
  return inside === '..' || inside.startsWith(`..${sep}`) ? undefined : inside
}

interface Packer extends Packing {
  readonly manifest: (name: string) => void
  /** Packs a file or folder that the policy names; what is missing is told when the bundle is checked. */
  readonly named: (path: string, by: string) => void
  /** Packs everything else of the folder but what is private or hidden. */
  readonly tree: (by: string) => void
  /** A private file that was allowed and not met. */
  readonly unused: () => string | undefined
}

interface Visit {
  readonly by: string
  readonly isNamed: boolean
  /** The folders that this one was reached through, their links followed. */
  readonly above: readonly string[]
  /** What the folders on the way leave of the permissions. */
  readonly mode: number
}

const ALL_PERMISSIONS = 0o777
const OTHERS_ENTER = 0o011

/** Links become what they lead to, which has to lie in the folder. */
function createPacker(folder: string, allowed: ReadonlySet<string>): Packer {
  const root = realpathSync(folder)
  const files = new Map<string, NamedFile>()
  const leftOut: Packing['leftOut'] = []
  const used = new Set<string>()
  let total = 0

  function put(path: string, file: NamedFile): void {
    if (!files.has(path)) total += file.bytes.length
    files.set(path, file)
    if (files.size > MOST_FILES || total > MOST_BYTES)
      throw new Refused(`it would hold more than ${MOST_FILES} files or ${MOST_BYTES / 1024 ** 2} MiB`)
  }

  function visit(path: string, { by, isNamed, above, mode }: Visit): void {
    const real = realpathSync(join(folder, path))
    if (insideOf(root, real) === undefined) throw new Refused(`${path} leads out of its folder`)
    const stats = statSync(real)
    if (stats.isDirectory()) {
      const below = {
        by,
        isNamed,
        above: [...above, real],
        mode: real === root ? mode : mode & throughFolder(stats.mode),
      }
      if (above.includes(real)) return
      for (const name of readdirSync(real)) if (isNamed || !LEFT_OUT.test(name)) visit(join(path, name), below)
      return
    }
    if (files.has(path)) return
    const bytes = readWhole(real, MOST_BYTES)
    const reason = whyPrivate(path, bytes, (stats.mode & 0o7000) | (stats.mode & mode))
    if (reason !== undefined) {
      if (!isNamed) return void leftOut.push({ path, reason })
      if (!allowed.has(real)) throw refused(path, reason, by)
      used.add(real)
    }
    put(path, { bytes, mode: (stats.mode & 0o100) === 0 ? 0o644 : 0o755, by })
  }

  return {
    files,
    leftOut,
    manifest(name) {
      const path = join(folder, name)
      const bytes = readWhole(path, MOST_BYTES)
      const reason = whyPrivate(name, bytes)
      if (reason !== undefined && !allowed.has(realpathSync(path))) throw refused(name, reason, 'the policy')
      if (reason !== undefined) used.add(realpathSync(path))
      put(MANIFEST, { bytes, mode: 0o644, by: 'the policy' })
    },
    named(path, by) {
      try {
        visit(path, { by, isNamed: true, above: [], mode: throughFolders(folder, path) })
      } catch (error) {
        if (errorCode(error) !== 'ENOENT') throw error
      }
    },
    tree: (by) => visit('', { by, isNamed: false, above: [], mode: ALL_PERMISSIONS }),
    unused: () => [...allowed].find((path) => !used.has(path)),
  }
}

/** Who may not enter a folder reads nothing in it. */
function throughFolder(mode: number): number {
  return (mode & OTHERS_ENTER) === 0 ? 0o700 : ALL_PERMISSIONS
}

function throughFolders(folder: string, path: string): number {
  const parts = dirname(path).split(sep)
  const above = parts.map((_, index) => join(folder, ...parts.slice(0, index + 1)))
  const modes = above.filter((each) => each !== folder).map((each) => throughFolder(statSync(each).mode))
  return modes.reduce((all, each) => all & each, ALL_PERMISSIONS)
}
