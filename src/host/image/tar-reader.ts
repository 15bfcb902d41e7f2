import { nameFromBytes } from '../live/file-name.ts'
import { refuseEntry } from '../archive/archive-error.ts'
import { NO_RECORDS, type PaxRecords, parsePax } from './pax.ts'
import { BLOCK_BYTES, isEmptyBlock, parseHeader, type RawHeader, damagedArchiveError } from './tar-header.ts'

/** An entry of a tar archive, with its extended headers applied. */
export interface TarEntry {
  readonly name: string
  /** The type flag: `0` file, `1` hard link, `2` symbolic link, `3` and `4` devices, `5` directory, `6` fifo. */
  readonly type: string
  /** The target of a link, as written. */
  readonly link: string
  /** The twelve permission bits. */
  readonly mode: number
  readonly uid: number
  readonly gid: number
  readonly sizeBytes: number
  readonly modifiedMs: number
  /** Major and minor number of a device. */
  readonly device: readonly [number, number]
  readonly attributes: ReadonlyMap<string, Buffer>
  /** Offset of its header; `contentAt` is that of its content. */
  readonly at: number
  readonly contentAt: number
}

/** A push parser of tar archives; chunks may have any size. */
export interface TarReader {
  /** Throws an `ArchiveError` if the archive is damaged, and the errors of `take`. */
  readonly write: (chunk: Buffer) => void
  /** Number of the next bytes that are content and may be skipped. */
  readonly ahead: () => number
  /** Skips bytes. */
  readonly pass: (bytes: number) => void
  /** Call it after the last chunk. */
  readonly end: () => void
}

// Readers ignore everything after the end blocks.
const END_BLOCKS = 2

// The limit of Go's reader, which every container runtime uses.
const LARGEST_EXTENSION_BYTES = 1024 ** 2

// Entries without content in Go's reader, even if their header has a size.
const HEADER_ONLY = '123456'

/** The extended headers of the next entry. */
interface Extensions {
  readonly pax: PaxRecords | undefined
  readonly name: Buffer | undefined
  readonly link: Buffer | undefined
}

const NO_EXTENSIONS: Extensions = { pax: undefined, name: undefined, link: undefined }

interface Reading {
  readonly take: (entry: TarEntry) => void
  position: number
  extensions: Extensions
  emptyBlocks: number
  /** Number of bytes needed before parsing: a header, or the rest of an extended one. */
  wanted: number
  extending: RawHeader | undefined
  held: Buffer[]
  heldBytes: number
  skip: number
}

/**
 * Parses the headers of a tar archive as Go's archive/tar does, which unpacks images; contents are skipped and only
 * their offsets returned. Input that readers interpret differently is refused. @see pax(1), tar(5)
 */
export function createTarReader(take: (entry: TarEntry) => void): TarReader {
  const reading: Reading = {
    take,
    position: 0,
    extensions: NO_EXTENSIONS,
    emptyBlocks: 0,
    wanted: BLOCK_BYTES,
    extending: undefined,
    held: [],
    heldBytes: 0,
    skip: 0,
  }
  return {
    write: (chunk) => write(reading, chunk),
    ahead: () => reading.skip,
    pass(bytes) {
      reading.skip -= bytes
      reading.position += bytes
    },
    end() {
      const { emptyBlocks, skip, heldBytes, extending, extensions, position } = reading
      if (emptyBlocks > 0) return
      if (skip > 0 || heldBytes > 0 || extending !== undefined || extensions !== NO_EXTENSIONS) {
        throw damagedArchiveError(position, 'the last entry is incomplete')
      }
    },
  }
}

function write(reading: Reading, chunk: Buffer): void {
  for (let at = 0; at < chunk.length && reading.emptyBlocks < END_BLOCKS;) {
    if (reading.skip > 0) {
      const passed = Math.min(reading.skip, chunk.length - at)
      reading.skip -= passed
      reading.position += passed
      at += passed
      continue
    }
    const part = chunk.subarray(at, at + reading.wanted - reading.heldBytes)
    at += part.length
    reading.position += part.length
    if (reading.heldBytes + part.length < reading.wanted) {
      // The caller may reuse the buffer.
      reading.held.push(Buffer.from(part))
      reading.heldBytes += part.length
      continue
    }
    const whole = reading.held.length === 0 ? part : Buffer.concat([...reading.held, part])
    reading.held = []
    reading.heldBytes = 0
    takeWhole(reading, whole, reading.position - whole.length)
  }
}

function takeWhole(reading: Reading, bytes: Buffer, at: number): void {
  const { extending } = reading
  if (extending === undefined) {
    takeHeader(reading, bytes, at)
    return
  }
  reading.wanted = BLOCK_BYTES
  reading.extending = undefined
  // Go's reader ignores global headers.
  if (extending.type === 'g') return
  reading.extensions = extend(reading.extensions, extending.type, bytes.subarray(0, extending.sizeBytes), at)
}

function takeHeader(reading: Reading, block: Buffer, at: number): void {
  if (isEmptyBlock(block)) {
    reading.emptyBlocks++
    return
  }
  if (reading.emptyBlocks > 0) throw damagedArchiveError(at, 'data after the end of the archive')
  const header = parseHeader(block, at)
  if ('xgLK'.includes(header.type)) {
    if (header.sizeBytes > LARGEST_EXTENSION_BYTES)
      throw damagedArchiveError(at, 'an extended header is larger than 1 MiB')
    if (header.sizeBytes === 0) return
    reading.wanted = padToBlock(header.sizeBytes)
    reading.extending = header
    return
  }
  const entry = entryOf(header, reading.extensions, at)
  reading.extensions = NO_EXTENSIONS
  reading.skip = padToBlock(contentBytes(entry))
  reading.take(entry)
}

/** Number of content bytes after the header. */
function contentBytes({ type, sizeBytes }: Pick<TarEntry, 'type' | 'sizeBytes'>): number {
  return HEADER_ONLY.includes(type) ? 0 : sizeBytes
}

function padToBlock(bytes: number): number {
  return Math.ceil(bytes / BLOCK_BYTES) * BLOCK_BYTES
}

function extend(extensions: Extensions, type: string, bytes: Buffer, at: number): Extensions {
  if (type === 'x') return { ...extensions, pax: parsePax(bytes, at) }
  const end = bytes.indexOf(0)
  const text = Buffer.from(end < 0 ? bytes : bytes.subarray(0, end))
  return type === 'L' ? { ...extensions, name: text } : { ...extensions, link: text }
}

function entryOf(header: RawHeader, { pax = NO_RECORDS, name, link }: Extensions, at: number): TarEntry {
  if ((name !== undefined && pax.path !== undefined) || (link !== undefined && pax.linkpath !== undefined)) {
    throw damagedArchiveError(at, 'an entry has two long names, which readers interpret differently')
  }
  const shown = nameFromBytes(name ?? pax.path ?? header.name)
  if (pax.isSparse || header.type === 'S') throw refuseEntry(shown, 'is a sparse file: not supported')
  return {
    name: shown,
    type: typeOf(header.type, shown),
    link: nameFromBytes(link ?? pax.linkpath ?? header.link),
    mode: header.mode & 0o7777,
    uid: pax.uid ?? header.uid,
    gid: pax.gid ?? header.gid,
    sizeBytes: pax.size ?? header.sizeBytes,
    modifiedMs: pax.modifiedMs ?? header.modifiedMs,
    device: header.device,
    attributes: pax.attributes,
    at,
    contentAt: at + BLOCK_BYTES,
  }
}

/** In archives older than the type flags, a trailing slash marks a directory. */
function typeOf(flag: string, name: string): string {
  if (flag !== '\0') return flag
  return name.endsWith('/') ? '5' : '0'
}
