import { ArchiveError } from '../archive/archive-error.ts'
import { gunzip } from '../archive/gunzip.ts'
import type { Span } from './held-file.ts'

/** How bytes are compressed, by the first of them. */
export type Compression = 'none' | 'gzip' | 'zstd'

const MAGICS: readonly (readonly [magic: string, compression: string])[] = [
  ['1f8b', 'gzip'],
  ['28b52ffd', 'zstd'],
  ['425a68', 'bzip2'],
  ['fd377a585a00', 'xz'],
]

const LONGEST_MAGIC_BYTES = 6

/** Tells how a part of a file is compressed. Throws an `ArchiveError` for a way that is not supported. */
export function compressionOf({ file, at, sizeBytes }: Span): Compression {
  const head = file.read(at, Math.min(sizeBytes, LONGEST_MAGIC_BYTES)).toString('hex')
  // What decoders skip at the beginning of zstd has sixteen magic numbers.
  if (/^5.2a4d18/.test(head)) return 'zstd'
  const found = MAGICS.find(([magic]) => head.startsWith(magic))?.[1] ?? 'none'
  if (found === 'none' || found === 'gzip' || found === 'zstd') return found
  throw new ArchiveError(`it is compressed with ${found}, which is not supported; compress it with gzip or zstd`)
}

/** Unpacks bytes that are compressed. Throws an `ArchiveError` for what is damaged. */
export async function* unpacked(
  compression: Exclude<Compression, 'none'>,
  packed: AsyncIterable<Buffer>,
): AsyncGenerator<Uint8Array, void, undefined> {
  if (compression === 'gzip') yield* gunzip(packed)
  else yield* (await import('./unzstd.ts')).unzstd(packed)
}
