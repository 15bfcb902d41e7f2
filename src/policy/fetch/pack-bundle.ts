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

/** Limits of a bundle; a directory beyond them contains other files, too. */
const MOST_FILES = 10_000
const MOST_BYTES = 64 * 1024 * 1024

/** Left out of bundles unless the policy names it. */
const LEFT_OUT = /^(\.|node_modules$)/

export interface PackOptions {
  /** Files and directories that the policy names, as absolute paths with the position of the reference: `site.yaml:3`. */
  readonly named?: readonly { readonly path: string; readonly by: string }[]
  /** Private files that the operator allows on every host. */
  readonly allowPrivate?: readonly string[]
}

export interface BundleEntry {
  readonly path: string
  readonly sizeBytes: number
  readonly sha256: string
  /** Why it is included: `site.yaml:3`. */
  readonly by: string
}

/** A bundle, its files, and the files left out. */
export interface Bundle {
  readonly bytes: Uint8Array
  readonly entries: readonly BundleEntry[]
  readonly leftOut: readonly { readonly path: string; readonly reason: string }[]
}

/**
 * Makes the bundle of one policy: a file with the files it names, an unpacked bundle, a policy that ships (`@ssh`), or
 * an existing bundle (`.tar.gz`). Private keys and other private files are left out, or refused if the policy names
 * them. The result is reproducible: owners and times are left out.
 */
export async function packBundle(
  source: string,
  options: PackOptions = {},
): Promise<Bundle | { readonly message: string }> {
  const wrong = (reason: string): { readonly message: string } => ({ message: `${source} cannot be packed: ${reason}` })
  if (source === '-' || isAddress(source)) return wrong('name a policy or a bundle on this host')
  const format = archiveFormat(source)
  if (format !== undefined && format !== 'tar.gz') return wrong('only bundles named .tar.gz or .tgz are supported here')
  try {
    if (format === 'tar.gz') return await readPackedBundle(source, options)
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

/** Modes in an archive do not tell who could read the original files. */
async function readPackedBundle(source: string, { allowPrivate = [] }: PackOptions): Promise<Bundle> {
  const bytes = readWhole(source, MOST_BYTES)
  const files = new Map<string, NamedFile>()
  for (const [path, file] of await filesOfArchive(bytes)) {
    const reason = whyPrivate(path, file.bytes, file.mode | 0o044)
    if (reason !== undefined && !allowPrivate.includes(path)) throw refusedFile(path, reason, `in ${source}`)
    files.set(path, { ...file, by: source })
  }
  return { bytes, entries: entriesOf({ files }), leftOut: [] }
}

function refusedFile(path: string, reason: string, by: string): Refused {
  return new Refused(
    `${path} (${by}) would be sent to every host, and ${reason}: remove it from the policy, or pass --allow-private ${path}`,
  )
}

/** The files of a bundle, by path in it. Throws the error of the system, or `Refused`. */
function packingOf(source: string, { named = [], allowPrivate = [] }: PackOptions): Packing {
  const isFolder = statSync(source).isDirectory()
  const folder = resolve(isFolder ? source : dirname(source))
  const packer = createPacker(folder, new Set(allowPrivate.map((path) => realpathSync(path))))
  // The operator named the policy explicitly, so hosts may have it regardless of its mode.
  if (!isFolder) packer.manifest(basename(source))
  for (const { path, by } of named) {
    const inside = insideOf(folder, path)
    if (inside === MANIFEST && !isFolder && basename(source) !== MANIFEST)
      throw new Refused(`its directory contains another ${MANIFEST}, and a bundle has one: name the directory`)
    if (inside === undefined) throw new Refused(`${relative(folder, path)} (${by}) is outside its directory`)
    packer.named(inside, by)
  }
  if (isFolder) packer.tree(`in ${source}`)
  const unused = packer.unused()
  if (unused !== undefined) throw new Refused(`--allow-private ${unused} is not a private file of the policy`)
  return packer
}

function insideOf(folder: string, path: string): string | undefined {
  const inside = relative(folder, path)
  return inside === '..' || inside.startsWith(`..${sep}`) ? undefined : inside
}

interface Packer extends Packing {
  readonly manifest: (name: string) => void
  /** Packs a file or directory that the policy names; missing ones are reported when the bundle is checked. */
  readonly named: (path: string, by: string) => void
  /** Packs all other files of the directory that are not private or hidden. */
  readonly tree: (by: string) => void
  /** An allowed private file that is not in the bundle. */
  readonly unused: () => string | undefined
}

interface Visit {
  readonly by: string
  readonly isNamed: boolean
  /** The enclosing directories, with links resolved. */
  readonly above: readonly string[]
  /** The permissions that the enclosing directories allow. */
  readonly mode: number
}

const ALL_PERMISSIONS = 0o777
const OTHERS_ENTER = 0o011

/** Links are replaced by their targets, which must be in the directory. */
function createPacker(folder: string, allowed: ReadonlySet<string>): Packer {
  const root = realpathSync(folder)
  const files = new Map<string, NamedFile>()
  const leftOut: Packing['leftOut'] = []
  const used = new Set<string>()
  let total = 0

  function addFile(path: string, file: NamedFile): void {
    if (!files.has(path)) total += file.bytes.length
    files.set(path, file)
    if (files.size > MOST_FILES || total > MOST_BYTES)
      throw new Refused(`it would contain more than ${MOST_FILES} files or ${MOST_BYTES / 1024 ** 2} MiB`)
  }

  function visit(path: string, { by, isNamed, above, mode }: Visit): void {
    const real = realpathSync(join(folder, path))
    if (insideOf(root, real) === undefined) throw new Refused(`${path} is outside its directory`)
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
      if (!allowed.has(real)) throw refusedFile(path, reason, by)
      used.add(real)
    }
    addFile(path, { bytes, mode: (stats.mode & 0o100) === 0 ? 0o644 : 0o755, by })
  }

  return {
    files,
    leftOut,
    manifest(name) {
      const path = join(folder, name)
      const bytes = readWhole(path, MOST_BYTES)
      const reason = whyPrivate(name, bytes)
      if (reason !== undefined && !allowed.has(realpathSync(path))) throw refusedFile(name, reason, 'the policy')
      if (reason !== undefined) used.add(realpathSync(path))
      addFile(MANIFEST, { bytes, mode: 0o644, by: 'the policy' })
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

/** Without access to a directory, other users cannot read the files in it. */
function throughFolder(mode: number): number {
  return (mode & OTHERS_ENTER) === 0 ? 0o700 : ALL_PERMISSIONS
}

function throughFolders(folder: string, path: string): number {
  const parts = dirname(path).split(sep)
  const above = parts.map((_, index) => join(folder, ...parts.slice(0, index + 1)))
  const modes = above.filter((each) => each !== folder).map((each) => throughFolder(statSync(each).mode))
  return modes.reduce((all, each) => all & each, ALL_PERMISSIONS)
}
