import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { crc32, deflateRawSync } from 'node:zlib'

/** One entry of a zip archive, as raw as the format allows. */
export interface ZipEntry {
  readonly name: string
  readonly content?: string | Buffer
  /** The whole Unix mode with its type bits; without one the archive is of a system without modes. */
  readonly mode?: number
  /** The name at the data, where it is to be another one than in the directory. */
  readonly localName?: string
  readonly crc?: number
  readonly flags?: number
  readonly method?: number
}

/** Writes a zip archive byte by byte, however hostile. @see APPNOTE.TXT, sections 4.3.7, 4.3.12 and 4.3.16 */
export function zipBytes(entries: readonly ZipEntry[]): Buffer {
  const locals: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const entry of entries) {
    const content = Buffer.from(entry.content ?? '')
    const packed = deflateRawSync(content)
    const shared = sharedFields(entry, content, packed)
    const local = Buffer.concat([
      uint32(0x04034b50),
      uint16(20),
      shared,
      uint16(Buffer.byteLength(entry.localName ?? entry.name)),
      uint16(0),
      Buffer.from(entry.localName ?? entry.name),
      packed,
    ])
    locals.push(local)
    directory.push(directoryBytes(entry, shared, offset))
    offset += local.length
  }
  const size = directory.reduce((total, { length }) => total + length, 0)
  const count = uint16(entries.length)
  const end = [uint32(0x06054b50), uint16(0), uint16(0), count, count, uint32(size), uint32(offset), uint16(0)]
  return Buffer.concat([...locals, ...directory, ...end])
}

/** Packs everything below a directory with its modes, links as links, as zip of Unix does. */
export function zipDirectory(root: string): Buffer {
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' }).toSorted()
  return zipBytes(
    names.map((name) => {
      const path = join(root, name)
      const status = lstatSync(path)
      if (status.isDirectory()) return { name: `${name}/`, mode: status.mode }
      return { name, mode: status.mode, content: status.isSymbolicLink() ? readlinkSync(path) : readFileSync(path) }
    }),
  )
}

function sharedFields({ flags = 0x800, method = 8, crc }: ZipEntry, content: Buffer, packed: Buffer): Buffer {
  // 2020-01-01 00:00:00 in the format of DOS.
  const [time, date] = [0, ((2020 - 1980) << 9) | (1 << 5) | 1]
  return Buffer.concat([
    uint16(flags),
    uint16(method),
    uint16(time),
    uint16(date),
    uint32(crc ?? crc32(content)),
    uint32(packed.length),
    uint32(content.length),
  ])
}

function directoryBytes({ name, mode }: ZipEntry, shared: Buffer, offset: number): Buffer {
  const madeBy = mode === undefined ? 0 : 3 << 8
  return Buffer.concat([
    uint32(0x02014b50),
    uint16(madeBy | 20),
    uint16(20),
    shared,
    uint16(Buffer.byteLength(name)),
    uint16(0),
    uint16(0),
    uint16(0),
    uint16(0),
    uint32(((mode ?? 0) << 16) >>> 0),
    uint32(offset),
    Buffer.from(name),
  ])
}

function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16LE(value)
  return bytes
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}
