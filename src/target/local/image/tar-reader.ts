import { nameFromBytes } from '../file-name.ts'
import { refuseEntry } from '../archive/archive-error.ts'
import { NO_RECORDS, type PaxRecords, parsePax } from './pax.ts'
import { BLOCK_BYTES, isEmptyBlock, parseHeader, type RawHeader, unsound } from './tar-header.ts'

/** One entry of a tar archive: what its header and those before it that are about it say. */
export interface TarEntry {
  readonly name: string
  /** The type flag: `0` file, `1` hard link, `2` symbolic link, `3` and `4` devices, `5` directory, `6` fifo. */
  readonly type: string
  /** What a link leads to, as it is written. */
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
  /** Where its header begins, and where its content does. */
  readonly at: number
  readonly contentAt: number
}

/** Takes the bytes of a tar archive in pieces of any size. */
export interface TarReader {
  /** Throws an `ArchiveError` for what is damaged, and what taking an entry throws. */
  readonly write: (chunk: Buffer) => void
  /** How many of the bytes that come next are content, which nobody needs to read. */
  readonly ahead: () => number
  /** Goes on behind so many of them. */
  readonly pass: (bytes: number) => void
  /** To be called after the last piece. */
  readonly end: () => void
}

// What follows them is nothing to any reader.
const END_BLOCKS = 2

// As much as Go's reader takes, which is that of every container runtime.
const LARGEST_EXTENSION_BYTES = 1024 ** 2

// They have no content, whatever their headers say, to Go's reader.
const HEADER_ONLY = '123456'

/** What headers before an entry say of it. */
interface Extensions {
  readonly pax: PaxRecords | undefined
  readonly name: Buffer | undefined
  readonly link: Buffer | undefined
}

const NO_EXTENSIONS: Extensions = { pax: undefined, name: undefined, link: undefined }

/**
 * Reads the headers of a tar archive as Go's archive/tar does, since that is what unpacks images; contents are passed over, and
 * where they lie is told. What readers are known to disagree about is refused. @see pax(1), tar(5)
 */
export function createTarReader(take: (entry: TarEntry) => void): TarReader {
  let position = 0
  let extensions = NO_EXTENSIONS
  let emptyBlocks = 0
  /** What is waited for in one piece, and what becomes of it. */
  let wanted = BLOCK_BYTES
  let use: (bytes: Buffer, at: number) => void = takeHeader
  let held: Buffer[] = []
  let heldBytes = 0
  let skip = 0

  function takeHeader(block: Buffer, at: number): void {
    if (isEmptyBlock(block)) {
      emptyBlocks++
      return
    }
    if (emptyBlocks > 0) throw unsound(at, 'something stands behind its end')
    const header = parseHeader(block, at)
    const { type } = header
    if (!'xgLK'.includes(type)) {
      const entry = entryOf(header, extensions, at)
      extensions = NO_EXTENSIONS
      skip = padded(contentBytes(entry))
      take(entry)
      return
    }
    if (header.sizeBytes > LARGEST_EXTENSION_BYTES) throw unsound(at, 'an extended header is larger than 1 MiB')
    const { sizeBytes } = header
    if (sizeBytes === 0) return
    wanted = padded(sizeBytes)
    use = (bytes) => {
      wanted = BLOCK_BYTES
      use = takeHeader
      // A global header is about nothing to Go's reader.
      if (type !== 'g') extensions = extend(extensions, type, bytes.subarray(0, sizeBytes), at)
    }
  }

  return {
    write(chunk) {
      for (let at = 0; at < chunk.length && emptyBlocks < END_BLOCKS;) {
        if (skip > 0) {
          const passed = Math.min(skip, chunk.length - at)
          skip -= passed
          at += passed
          position += passed
          continue
        }
        const part = chunk.subarray(at, at + wanted - heldBytes)
        at += part.length
        position += part.length
        held.push(part)
        heldBytes += part.length
        if (heldBytes < wanted) {
          // The piece is the caller's, who may fill it again.
          held[held.length - 1] = Buffer.from(part)
          continue
        }
        const whole = held.length === 1 ? part : Buffer.concat(held)
        held = []
        heldBytes = 0
        use(whole, position - whole.length)
      }
    },
    ahead: () => skip,
    pass(bytes) {
      skip -= bytes
      position += bytes
    },
    end() {
      if (emptyBlocks > 0) return
      if (skip > 0 || heldBytes > 0 || use !== takeHeader || extensions !== NO_EXTENSIONS) {
        throw unsound(position, 'it ends in the middle of an entry')
      }
    },
  }
}

/** How many bytes of content follow the header. */
export function contentBytes({ type, sizeBytes }: Pick<TarEntry, 'type' | 'sizeBytes'>): number {
  return HEADER_ONLY.includes(type) ? 0 : sizeBytes
}

function padded(bytes: number): number {
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
    throw unsound(at, 'an entry has two long names, of which every reader takes another')
  }
  const shown = nameFromBytes(name ?? pax.path ?? header.name)
  if (pax.isSparse || header.type === 'S') throw refuseEntry(shown, 'is a sparse file, which is not supported')
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

/** Archives older than the types say by a slash that something is a directory. */
function typeOf(flag: string, name: string): string {
  if (flag !== '\0') return flag
  return name.endsWith('/') ? '5' : '0'
}
