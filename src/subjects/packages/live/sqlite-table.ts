import { DamagedDatabase } from './damaged-database.ts'

const MAGIC = 'SQLite format 3\0'
const HEADER_BYTES = 100
const INTERIOR = 0x05
const LEAF = 0x0d

type Value = number | Buffer | null

interface Database {
  readonly bytes: Buffer
  readonly pageBytes: number
  /** Of a page, without what is reserved at its end. */
  readonly usable: number
}

/**
 * The rows of a table of a database of SQLite, each with the values of its columns: whole numbers of at most 48 bits, texts as
 * their bytes, and null for what is neither. Undefined where there is no such table. Throws `DamagedDatabase`.
 *
 * @see https://www.sqlite.org/fileformat2.html
 */
export function readTable(bytes: Buffer, table: string): readonly (readonly Value[])[] | undefined {
  const database = openDatabase(bytes)
  const schema = rowsFrom(database, 1)
  const [entry] = schema.filter(([type, name]) => textOf(type) === 'table' && textOf(name) === table)
  if (entry === undefined) return undefined
  const [, , , root] = entry
  if (typeof root !== 'number') throw new DamagedDatabase(`the table ${table} has no root page`)
  return rowsFrom(database, root)
}

function openDatabase(bytes: Buffer): Database {
  if (bytes.length < HEADER_BYTES || bytes.toString('latin1', 0, MAGIC.length) !== MAGIC) {
    throw new DamagedDatabase('not an SQLite database')
  }
  const written = bytes.readUInt16BE(16)
  const pageBytes = written === 1 ? 65536 : written
  const usable = pageBytes - bytes.readUInt8(20)
  if (pageBytes < 512 || (pageBytes & (pageBytes - 1)) !== 0 || usable < 480 || bytes.length % pageBytes !== 0) {
    throw new DamagedDatabase('invalid page size')
  }
  // What was cut off is missed even where no page that is left leads there. Older programs do not keep the number.
  const pages = bytes.readUInt32BE(28)
  const isKept = bytes.readUInt32BE(24) === bytes.readUInt32BE(92)
  if (isKept && pages * pageBytes !== bytes.length) throw new DamagedDatabase('the file size does not match its header')
  return { bytes, pageBytes, usable }
}

function rowsFrom(database: Database, root: number): readonly (readonly Value[])[] {
  const rows: (readonly Value[])[] = []
  const pending = [root]
  const seen = new Set<number>()
  for (let number = pending.pop(); number !== undefined; number = pending.pop()) {
    if (seen.has(number)) throw new DamagedDatabase('a page is referenced twice')
    seen.add(number)
    const page = pageAt(database, number)
    const start = number === 1 ? HEADER_BYTES : 0
    const kind = page.readUInt8(start)
    if (kind !== LEAF && kind !== INTERIOR) throw new DamagedDatabase('a page does not belong to a table')
    const cells = start + (kind === LEAF ? 8 : 12)
    const children: number[] = []
    for (let index = 0; index < page.readUInt16BE(start + 3); index++) {
      const cell = sliceInside(page, cells + 2 * index, 2).readUInt16BE()
      if (kind === LEAF) rows.push(recordOf(payloadAt(database, page, cell)))
      else children.push(sliceInside(page, cell, 4).readUInt32BE())
    }
    if (kind === INTERIOR) children.push(page.readUInt32BE(start + 8))
    pending.push(...children.toReversed())
  }
  return rows
}

function pageAt({ bytes, pageBytes }: Database, number: number): Buffer {
  return sliceInside(bytes, (number - 1) * pageBytes, pageBytes)
}

function sliceInside(bytes: Buffer, start: number, length: number): Buffer {
  if (!(start >= 0 && length >= 0 && start + length <= bytes.length))
    throw new DamagedDatabase('a reference points outside the file or page')
  return bytes.subarray(start, start + length)
}

/** What does not fit into the page goes on in a chain of others. */
function payloadAt(database: Database, page: Buffer, cell: number): Buffer {
  const { usable, bytes } = database
  const length = varint(page, cell)
  const rowId = varint(page, length.end)
  const most = usable - 35
  if (length.value <= most) return sliceInside(page, rowId.end, length.value)
  if (length.value > bytes.length) throw new DamagedDatabase('a row is larger than the file')
  const least = Math.floor(((usable - 12) * 32) / 255) - 23
  const wanted = least + ((length.value - least) % (usable - 4))
  const local = wanted <= most ? wanted : least
  const parts = [sliceInside(page, rowId.end, local)]
  let left = length.value - local
  let next = sliceInside(page, rowId.end + local, 4).readUInt32BE()
  while (left > 0) {
    const more = pageAt(database, next)
    const part = more.subarray(4, 4 + Math.min(left, usable - 4))
    parts.push(part)
    left -= part.length
    next = more.readUInt32BE(0)
  }
  return Buffer.concat(parts)
}

function varint(bytes: Buffer, start: number): { readonly value: number; readonly end: number } {
  let value = 0
  for (let index = 0; index < 9; index++) {
    const byte = sliceInside(bytes, start + index, 1).readUInt8()
    value = index === 8 ? value * 256 + byte : value * 128 + (byte & 0x7f)
    if (index === 8 || byte < 0x80) return { value, end: start + index + 1 }
  }
  throw new DamagedDatabase('unterminated variable-length integer')
}

/** How many bytes the whole numbers have, by their type. */
const INTEGER_BYTES = [0, 1, 2, 3, 4, 6, 8, 8, 0, 0]

function recordOf(payload: Buffer): readonly Value[] {
  const header = varint(payload, 0)
  const values: Value[] = []
  let at = header.value
  for (let next = header.end; next < header.value;) {
    const type = varint(payload, next)
    next = type.end
    const length = INTEGER_BYTES[type.value] ?? Math.floor((type.value - 12) / 2)
    values.push(valueOf(type.value, sliceInside(payload, at, length)))
    at += length
  }
  return values
}

function valueOf(type: number, bytes: Buffer): Value {
  if (type >= 12) return bytes
  if (type === 8 || type === 9) return type - 8
  return bytes.length > 0 && bytes.length <= 6 ? bytes.readIntBE(0, bytes.length) : null
}

function textOf(value: Value | undefined): string | undefined {
  return Buffer.isBuffer(value) ? value.toString('utf8') : undefined
}
