import { ArchiveError } from '../archive/archive-error.ts'
import { gunzip } from '../archive/gunzip.ts'
import type { Span } from './held-file.ts'

/** The compression of data, by its magic number. */
export type Compression = 'none' | 'gzip' | 'zstd'

const MAGICS: readonly (readonly [magic: string, compression: string])[] = [
  ['1f8b', 'gzip'],
  ['28b52ffd', 'zstd'],
  ['425a68', 'bzip2'],
  ['fd377a585a00', 'xz'],
]

const LONGEST_MAGIC_BYTES = 6

/** Detects the compression of a span. Throws an `ArchiveError` if it is not supported. */
export function compressionOf({ file, at, sizeBytes }: Span): Compression {
  const head = file.read(at, Math.min(sizeBytes, LONGEST_MAGIC_BYTES)).toString('hex')
  // Skippable frames at the start of zstd data have sixteen magic numbers.
  if (/^5.2a4d18/.test(head)) return 'zstd'
  const found = MAGICS.find(([magic]) => head.startsWith(magic))?.[1] ?? 'none'
  if (found === 'none' || found === 'gzip' || found === 'zstd') return found
  throw new ArchiveError(`it is compressed with ${found}, which is not supported; compress it with gzip or zstd`)
}

/** Decompresses data. Throws an `ArchiveError` if it is damaged. */
export async function* decompressStream(
  compression: Exclude<Compression, 'none'>,
  packed: AsyncIterable<Buffer>,
): AsyncGenerator<Uint8Array, void, undefined> {
  if (compression === 'gzip') yield* gunzip(packed)
  else yield* (await import('./unzstd.ts')).unzstd(packed)
}
