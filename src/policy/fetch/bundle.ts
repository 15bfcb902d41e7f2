import { existsSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { defined } from '../../model/defined.ts'
import type { Problem } from '../../model/problem.ts'
import type { Nats } from '../../host/nats/nats.ts'
import { type PolicySource, readAs, type SourceFile } from './files.ts'
import { isAddress, isBundle } from './remote.ts'
import type { TemporaryDirectories } from './temporary-directories.ts'
import { showSource, unpackArchive } from './unpack.ts'

/** File names of a bundle's policy, at the top or in the only directory. */
const MANIFESTS = ['manifest.yaml', 'policy.yaml'] as const

export interface BundleOptions {
  /** Expected sha256 of a remote bundle, in hex. */
  readonly sha256?: string
  /** Aborting it ends a download. */
  readonly signal?: AbortSignal
  /** The source of NATS objects. */
  readonly nats: Nats
}

/**
 * Adds bundles to a source: archives of a policy with its files, local or remote. They are unpacked into temporary
 * directories, which must exist until the policies have run.
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

/** The path of the policy in an unpacked bundle, or the problem. */
export function findManifest(root: string): string | { readonly message: string } {
  const folders = readdirSync(root, { withFileTypes: true }).filter(
    // Directories added by desktop archivers are ignored.
    (entry) => entry.isDirectory() && !entry.name.startsWith('.') && entry.name !== '__MACOSX',
  )
  const [only] = folders.length === 1 ? folders : []
  for (const folder of only === undefined ? [''] : ['', only.name]) {
    const [first, second] = MANIFESTS.filter((name) => existsSync(join(root, folder, name)))
    if (second !== undefined) return { message: `the bundle contains both ${first} and ${second}: remove one` }
    if (first !== undefined) return join(folder, first)
  }
  return { message: `the bundle has no ${MANIFESTS.join(' or ')} at its top or in its only directory` }
}

function problem(shown: string, message: string): Problem {
  return { message: `${shown}: ${message}`, severity: 'error' }
}
