import { readdirSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { gzipSync } from 'node:zlib'
import { archiveFormat } from '../target/archive-format.ts'
import { readWhole } from '../target/local/read-whole.ts'
import { localSource, reasonOf } from './files.ts'
import { isAddress } from './remote.ts'
import { withShipped } from './shipped.ts'

/** What a bundle may hold; far more is a folder that holds something else, too. */
const MOST_FILES = 10_000
const MOST_BYTES = 64 * 1024 * 1024

/** Never a part of a policy. */
const LEFT_OUT = /^(\.|node_modules$)/

/** What the policy of a bundle is called. */
const MANIFEST = 'manifest.yaml'

interface PackedFile {
  readonly bytes: Uint8Array
  readonly mode: number
}

/**
 * The bytes of a bundle of one policy: a file with what it mentions of its folder, a folder that is a bundle unpacked, a policy that ships
 * (`@ssh`), or a bundle (`.tar.gz`) as it is. The same files make the same bytes, whoever owns them and whenever they were written.
 */
export async function packBundle(
  source: string,
): Promise<{ readonly bytes: Uint8Array } | { readonly message: string }> {
  const wrong = (reason: string): { readonly message: string } => ({ message: `${source} cannot be packed: ${reason}` })
  if (source === '-' || isAddress(source)) return wrong('name a policy or a bundle that lies on this machine')
  const format = archiveFormat(source)
  if (format !== undefined && format !== 'tar.gz')
    return wrong('of bundles only those called .tar.gz or .tgz are known here')
  try {
    if (format === 'tar.gz') return { bytes: readWhole(source, MOST_BYTES) }
    if (!source.startsWith('@')) return { bytes: await archiveOf(filesOf(source)) }
    const read = await withShipped(localSource).read(source)
    if ('message' in read) return read
    return { bytes: await archiveOf(new Map([[MANIFEST, { bytes: read.bytes, mode: 0o644 }]])) }
  } catch (error) {
    return wrong(error instanceof Refused ? error.message : reasonOf(error))
  }
}

class Refused extends Error {}

/** The files of a bundle by their paths in it. Throws what the system says, and `Refused`. */
function filesOf(source: string): ReadonlyMap<string, PackedFile> {
  const isFolder = statSync(source).isDirectory()
  const folder = realpathSync(isFolder ? source : dirname(resolve(source)))
  const packing = createPacking(folder)
  if (isFolder) {
    packing.tree('')
    return packing.files
  }
  const manifest = readWhole(source, MOST_BYTES)
  packing.put(MANIFEST, { bytes: manifest, mode: 0o644 })
  const names = readdirSync(folder).filter((name) => !LEFT_OUT.test(name) && name !== basename(source))
  const texts = [manifest.toString('latin1')]
  // What is mentioned may mention more.
  for (const text of texts) {
    for (const name of names.filter((each) => text.includes(each))) {
      if (name === MANIFEST)
        throw new Refused(`its folder holds another ${MANIFEST}, and a bundle has one: name the folder`)
      if (packing.has(name)) continue
      const added = packing.anything(name)
      if (added !== undefined) texts.push(Buffer.from(added).toString('latin1'))
    }
  }
  return packing.files
}

interface Packing {
  readonly files: ReadonlyMap<string, PackedFile>
  readonly has: (path: string) => boolean
  readonly put: (path: string, file: PackedFile) => void
  /** Packs a file or a folder; the bytes of the file. */
  readonly anything: (path: string) => Uint8Array | undefined
  readonly tree: (path: string) => void
}

/** Links become what they lead to, which has to lie in the folder: nobody means to hand a key of this machine to every host. */
function createPacking(folder: string): Packing {
  const files = new Map<string, PackedFile>()
  let total = 0
  const put = (path: string, file: PackedFile): void => {
    files.set(path, file)
    total += file.bytes.length
    if (files.size > MOST_FILES || total > MOST_BYTES)
      throw new Refused(`it would hold more than ${MOST_FILES} files or ${MOST_BYTES / 1024 ** 2} MiB`)
  }
  const anything = (path: string, above: readonly string[]): Uint8Array | undefined => {
    const real = realpathSync(join(folder, path))
    const inside = relative(folder, real)
    if (inside === '..' || inside.startsWith(`..${sep}`)) throw new Refused(`${path} leads out of its folder`)
    const stats = statSync(real)
    if (stats.isDirectory()) {
      if (!above.includes(real)) tree(path, [...above, real])
      return undefined
    }
    const bytes = readWhole(real, MOST_BYTES)
    put(path, { bytes, mode: (stats.mode & 0o100) === 0 ? 0o644 : 0o755 })
    return bytes
  }
  const tree = (path: string, above: readonly string[]): void => {
    for (const name of readdirSync(join(folder, path))) if (!LEFT_OUT.test(name)) anything(join(path, name), above)
  }
  return {
    files,
    has: (path) => files.has(path) || [...files.keys()].some((each) => each.startsWith(`${path}/`)),
    put,
    anything: (path) => anything(path, [folder]),
    tree: (path) => tree(path, [folder]),
  }
}

const BLOCK_BYTES = 512
const ANY_SYSTEM = 255

/** Nothing of it tells who packed it, when and where. The policy comes first, because CCM takes the first one that it meets. */
async function archiveOf(files: ReadonlyMap<string, PackedFile>): Promise<Uint8Array> {
  const { Header, Pax } = await import('tar')
  const order = (path: string): string => (path === MANIFEST ? '' : path)
  const paths = [...files.keys()].toSorted((left, right) => (order(left) < order(right) ? -1 : 1))
  const blocks = paths.flatMap((path) => {
    const { bytes, mode } = files.get(path) ?? { bytes: Buffer.alloc(0), mode: 0 }
    const said = { path, mode, size: bytes.length, mtime: new Date(0), uid: 0, gid: 0, type: 'File' } as const
    const header = Buffer.alloc(BLOCK_BYTES)
    const isLong = new Header(said).encode(header)
    const padding = Buffer.alloc((BLOCK_BYTES - (bytes.length % BLOCK_BYTES)) % BLOCK_BYTES)
    return [...(isLong ? [new Pax({ path, type: 'File', size: bytes.length }).encode()] : []), header, bytes, padding]
  })
  const packed = gzipSync(Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK_BYTES)]), { level: 9 })
  packed[9] = ANY_SYSTEM
  return packed
}
