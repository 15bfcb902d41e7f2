import { gunzipSync, gzipSync } from 'node:zlib'
import type { ReadEntry } from 'tar'

/** The name of the policy in a bundle. */
export const MANIFEST = 'manifest.yaml'

export interface PackedFile {
  readonly bytes: Uint8Array
  readonly mode: number
}

const BLOCK_BYTES = 512
const ANY_SYSTEM = 255
const MOST_UNPACKED_BYTES = 512 * 1024 * 1024

/**
 * Makes a reproducible archive without owners, hosts and times. The policy comes first, because CCM uses the first one
 * it finds.
 */
export async function archiveOf(files: ReadonlyMap<string, PackedFile>): Promise<Uint8Array> {
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

/** The regular files of a bundle, by path. Throws an error if the data is not a gzipped tar archive. */
export async function filesOfArchive(archive: Uint8Array): Promise<ReadonlyMap<string, PackedFile>> {
  const { Parser } = await import('tar')
  const files = new Map<string, PackedFile>()
  const parser = new Parser({ strict: true, brotli: false, zstd: false })
  parser.on('entry', (entry: ReadEntry) => {
    const chunks: Buffer[] = []
    entry.on('data', (chunk: Buffer) => chunks.push(chunk))
    entry.on('end', () => {
      const isFile = entry.type === 'File' || entry.type === 'OldFile' || entry.type === 'ContiguousFile'
      if (isFile)
        files.set(entry.path.replace(/^\.\//, ''), { bytes: Buffer.concat(chunks), mode: entry.mode ?? 0o644 })
    })
  })
  parser.on('error', (error: Error) => {
    throw error
  })
  parser.write(gunzipSync(archive, { maxOutputLength: MOST_UNPACKED_BYTES }))
  parser.end()
  return files
}
