import { DamagedDatabase } from './damaged-database.ts'

const MAGIC = 0x061561
const META_BYTES = 96
const PAGE_HEADER_BYTES = 26

/** Where things are on the first page. */
const META = { magic: 12, pageBytes: 20, encryption: 24, kind: 25, lastPage: 32, pairs: 88 } as const

/** Where things are at the beginning of every page. `used` is the number of bytes of a page that holds a part of a long value. */
const PAGE = { next: 16, entries: 20, used: 22, kind: 25 } as const

const KIND = { unsorted: 2, overflow: 7, meta: 8, sorted: 13 } as const

/** What the first byte of an entry says of the rest: it is the value itself, or tells on which pages that is. */
const ENTRY = { here: 1, elsewhere: 3 } as const
const ELSEWHERE_BYTES = 12

interface Database {
  readonly bytes: Buffer
  readonly pageBytes: number
  readonly isBigEndian: boolean
}

/**
 * All pairs of a hash table of Berkeley DB 4 and 5, in no order. Duplicates of a key, which need another kind of entry, are refused.
 * Throws `DamagedDatabase`.
 *
 * @see https://github.com/berkeleydb/libdb/blob/master/src/dbinc/db_page.h
 */
export function readHash(bytes: Buffer): readonly (readonly [key: Buffer, value: Buffer])[] {
  const database = openDatabase(bytes)
  const entries = Array.from({ length: bytes.length / database.pageBytes }, (_, number) => number)
    .slice(1)
    .flatMap((number) => entriesOf(database, number))
  const pairs = entries.flatMap((value, at) => {
    const key = at % 2 === 1 ? entries[at - 1] : undefined
    return key === undefined ? [] : [[key, value] as const]
  })
  // What was lost with a page is missed; an environment in which the number is not kept leaves it too low.
  if (pairs.length < readUint32(database, META.pairs)) throw new DamagedDatabase('entries are missing')
  return pairs
}

function openDatabase(bytes: Buffer): Database {
  const isBigEndian = bytes.length >= META_BYTES && bytes.readUInt32BE(META.magic) === MAGIC
  const isThere = isBigEndian || (bytes.length >= META_BYTES && bytes.readUInt32LE(META.magic) === MAGIC)
  if (!isThere || bytes[META.kind] !== KIND.meta) throw new DamagedDatabase('not a Berkeley DB hash table')
  if (bytes[META.encryption] !== 0) throw new DamagedDatabase('encrypted')
  const pageBytes = readUint32({ bytes, isBigEndian }, META.pageBytes)
  if (pageBytes < 512 || pageBytes > 65_536 || (pageBytes & (pageBytes - 1)) !== 0 || bytes.length % pageBytes !== 0)
    throw new DamagedDatabase('invalid page size')
  const pages = readUint32({ bytes, isBigEndian }, META.lastPage) + 1
  if (pages * pageBytes > bytes.length) throw new DamagedDatabase('the file size does not match its header')
  return { bytes, pageBytes, isBigEndian }
}

/** Keys and values in turn. A page of another kind holds no keys. */
function entriesOf(database: Database, number: number): readonly Buffer[] {
  const { bytes, pageBytes } = database
  const start = number * pageBytes
  const kind = bytes[start + PAGE.kind]
  if (kind !== KIND.unsorted && kind !== KIND.sorted) return []
  const count = readUint16(database, start + PAGE.entries)
  const indexEnd = PAGE_HEADER_BYTES + 2 * count
  if (count % 2 !== 0 || indexEnd > pageBytes) throw new DamagedDatabase(`page ${number} has a key without a value`)
  const entries: Buffer[] = []
  let end = pageBytes
  for (let at = PAGE_HEADER_BYTES; at < indexEnd; at += 2) {
    const begin = readUint16(database, start + at)
    // They fill the page from its end on.
    if (begin < indexEnd || begin >= end) throw new DamagedDatabase(`page ${number} has an entry outside the page`)
    entries.push(valueOf(database, bytes.subarray(start + begin, start + end)))
    end = begin
  }
  return entries
}

function valueOf(database: Database, entry: Buffer): Buffer {
  if (entry[0] === ENTRY.here) return entry.subarray(1)
  if (entry[0] !== ENTRY.elsewhere || entry.length !== ELSEWHERE_BYTES)
    throw new DamagedDatabase('unsupported entry type')
  const { bytes, pageBytes } = database
  const place = { ...database, bytes: entry }
  const total = readUint32(place, 8)
  const parts: Buffer[] = []
  let length = 0
  for (let number = readUint32(place, 4); number !== 0 && length < total;) {
    const start = number * pageBytes
    if (start + pageBytes > bytes.length || bytes[start + PAGE.kind] !== KIND.overflow)
      throw new DamagedDatabase(`page ${number} is not an overflow page`)
    const used = readUint16(database, start + PAGE.used)
    if (used === 0 || PAGE_HEADER_BYTES + used > pageBytes)
      throw new DamagedDatabase(`page ${number} has an invalid length`)
    parts.push(bytes.subarray(start + PAGE_HEADER_BYTES, start + PAGE_HEADER_BYTES + used))
    length += used
    number = readUint32(database, start + PAGE.next)
  }
  if (length !== total) throw new DamagedDatabase('the length of a value does not match its entry')
  return Buffer.concat(parts)
}

function readUint32({ bytes, isBigEndian }: Pick<Database, 'bytes' | 'isBigEndian'>, at: number): number {
  return isBigEndian ? bytes.readUInt32BE(at) : bytes.readUInt32LE(at)
}

function readUint16({ bytes, isBigEndian }: Database, at: number): number {
  return isBigEndian ? bytes.readUInt16BE(at) : bytes.readUInt16LE(at)
}
