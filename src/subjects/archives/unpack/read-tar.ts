import { readSync } from 'node:fs'
import type { ReadEntry } from 'tar'
import { ArchiveError, refuseEntry } from '../../../host/archive/archive-error.ts'
import type { ArchiveMeter } from '../../../host/archive/archive-limits.ts'
import { chunksOf } from './chunks-of.ts'
import { gunzip } from '../../../host/archive/gunzip.ts'
import type { Stage } from './stage.ts'

export interface ReadInput {
  /** Open archive file, read from its beginning; the caller closes it. */
  readonly fd: number
  readonly stage: Stage
  readonly meter: ArchiveMeter
  readonly signal: AbortSignal
}

/**
 * Sparse files of GNU tar (0.0, 0.1 and 1.0), bsdtar and star: the entry data omits the holes.
 * @see GNU tar manual, "Storing Sparse Files"
 */
const SPARSE_RECORD = /(?:^|\n)\d+ (?:GNU\.sparse\.|SCHILY\.realsize=)/

/**
 * Reads a tar archive, detecting gzip by its first bytes, and stages every entry. Throws an `ArchiveError` for refused or damaged
 * entries and for types other than files, directories and links.
 */
export async function readTar({ fd, stage, meter, signal }: ReadInput): Promise<void> {
  const { Parser } = await import('tar')
  const parser = new Parser({ strict: true, brotli: false, zstd: false })
  let isOver = false
  let isSparse = false
  // Raw extended headers, each before its entry.
  parser.on('meta', (records: string) => {
    isSparse ||= SPARSE_RECORD.test(records)
  })
  parser.on('entry', (entry: ReadEntry) => {
    if (isSparse) throw refuseEntry(entry.path, 'is a sparse file: not supported')
    take(entry, stage)
  })
  // Names beyond the parser's limit and unknown types; skipping them would unpack an incomplete archive.
  parser.on('ignoredEntry', ({ path, type }: ReadEntry) => {
    throw refuseEntry(path, `has an unsupported type (${type})`)
  })
  parser.on('error', (error: Error) => {
    throw new ArchiveError(`damaged tar archive: ${error.message}`)
  })
  parser.on('eof', () => {
    isOver = true
  })
  let isFirst = true
  for await (const chunk of unpackedBytes(fd)) {
    signal.throwIfAborted()
    meter.countBytes(chunk.length)
    // The parser would decompress it again, bypassing the limits.
    if (isFirst && isGzip(chunk)) throw new ArchiveError('the archive is compressed twice')
    isFirst = false
    // After the end, only the checksum of the compression is read.
    if (!isOver) parser.write(chunk)
  }
  parser.end()
}

function take(entry: ReadEntry, stage: Stage): void {
  const { path, type, linkpath = '', mode, mtime } = entry
  switch (type) {
    case 'File':
    case 'OldFile':
    case 'ContiguousFile': {
      const modifiedMs = mtime?.getTime() ?? Number.NaN
      const sink = stage.file(path, {
        mode: permissions(mode, 0o644),
        ...(Number.isFinite(modifiedMs) ? { modifiedMs } : {}),
      })
      entry.on('data', sink.write)
      entry.on('end', sink.end)
      return
    }
    case 'Directory':
      stage.directory(path, permissions(mode, 0o755))
      break
    case 'SymbolicLink':
      stage.symlink(path, linkpath)
      break
    case 'Link':
      stage.hardlink(path, linkpath)
      break
    default:
      throw refuseEntry(path, `has an unsupported type (${type})`)
  }
  entry.resume()
}

function permissions(mode: number | undefined, otherwise: number): number {
  return mode === undefined || !Number.isSafeInteger(mode) ? otherwise : mode
}

function unpackedBytes(fd: number): AsyncIterable<Buffer> {
  const head = Buffer.alloc(2)
  if (readSync(fd, head, 0, head.length, 0) === 0) throw new ArchiveError('the archive is empty')
  return isGzip(head) ? gunzip(chunksOf(fd)) : chunksOf(fd)
}

function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b
}
