import { existsSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { defined } from '../../model/defined.ts'
import type { Problem } from '../../model/problem.ts'
import type { Nats } from '../../host/nats/nats.ts'
import { type PolicySource, readAs, type SourceFile } from './files.ts'
import { isAddress, isBundle } from './remote.ts'
import type { TemporaryDirectories } from './temporary-directories.ts'
import { showSource, unpackArchive } from './unpack.ts'

/** How the policies of a bundle may be called, at its top or in its only folder. */
const MANIFESTS = ['manifest.yaml', 'policy.yaml'] as const

/** How bundles are opened. */
export interface BundleOptions {
  /** What a remote bundle must be, sha256 in hex. */
  readonly sha256?: string
  /** Aborting it ends a download. */
  readonly signal?: AbortSignal
  /** Where objects come from. */
  readonly nats: Nats
}

/**
 * A source with bundles beside its files: archives of a policy with what it needs, on this
 * machine or at an address. They are unpacked into temporary directories, which must stay until the policies have run.
 */
export function bundleSource(
  files: PolicySource,
  directories: TemporaryDirectories,
  options: BundleOptions,
): PolicySource {
  return {
    ...files,
    list: async (source) => (isAddress(source) ? [source] : files.list(source)),
    read: (file) => (isBundle(file) ? openBundle(file, directories, options) : files.read(file)),
  }
}

async function openBundle(
  source: string,
  directories: TemporaryDirectories,
  { sha256, signal, nats }: BundleOptions,
): Promise<SourceFile | Problem> {
  const shown = showSource(source)
  const unpacked = await unpackArchive(source, directories, {
    ...(sha256 === undefined || !isAddress(source) ? {} : { sha256 }),
    ...defined({ signal }),
    nats,
  })
  if ('message' in unpacked) return problem(shown, unpacked.message)
  const manifest = findManifest(unpacked.directory)
  if (typeof manifest !== 'string') return problem(shown, manifest.message)
  const path = join(unpacked.directory, manifest)
  const read = await readAs(`${shown}!/${manifest}`, path)
  return 'message' in read ? read : { ...read, confinedTo: dirname(path) }
}

/** Where the policy lies in an unpacked bundle, or why that is unclear. */
export function findManifest(root: string): string | { readonly message: string } {
  const folders = readdirSync(root, { withFileTypes: true }).filter(
    // What the archivers of some desktops add is no folder of the author's.
    (entry) => entry.isDirectory() && !entry.name.startsWith('.') && entry.name !== '__MACOSX',
  )
  const [only] = folders.length === 1 ? folders : []
  for (const folder of only === undefined ? [''] : ['', only.name]) {
    const [first, second] = MANIFESTS.filter((name) => existsSync(join(root, folder, name)))
    if (second !== undefined) return { message: `the bundle holds both ${first} and ${second}, one of them must go` }
    if (first !== undefined) return join(folder, first)
  }
  return { message: `the bundle holds no ${MANIFESTS.join(' or ')} at its top or in its only folder` }
}

function problem(shown: string, message: string): Problem {
  return { message: `${shown}: ${message}`, severity: 'error' }
}
