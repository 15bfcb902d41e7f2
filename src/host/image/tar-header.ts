import { ArchiveError } from '../archive/archive-error.ts'

/** Headers and contents begin at multiples of it. */
export const BLOCK_BYTES = 512

/** What one header says itself. */
export interface RawHeader {
  readonly name: Buffer
  readonly type: string
  readonly link: Buffer
  readonly mode: number
  readonly uid: number
  readonly gid: number
  readonly sizeBytes: number
  readonly modifiedMs: number
  readonly device: readonly [number, number]
}

const CHECKSUM_AT = 148
const CHECKSUM_BYTES = 8
const TYPE_AT = 156
const MAGIC_AT = 257

/** Whether a block marks the end. */
export function isEmptyBlock(block: Buffer): boolean {
  for (let index = 0; index < BLOCK_BYTES; index += 4) if (block.readInt32LE(index) !== 0) return false
  return true
}

/** Reads a header, at that byte of its archive. Throws an `ArchiveError` for invalid bytes. */
export function parseHeader(block: Buffer, at: number): RawHeader {
  const number = (start: number, length: number, what: string): number => {
    const value = parseNumber(block.subarray(start, start + length))
    if (value === undefined) throw unsound(at, `the ${what} of an entry is no number`)
    if (value < 0) throw unsound(at, `the ${what} of an entry is negative`)
    if (value > Number.MAX_SAFE_INTEGER) throw unsound(at, `the ${what} of an entry is larger than any can be`)
    return value
  }
  if (!isChecksum(block, number(CHECKSUM_AT, CHECKSUM_BYTES, 'checksum'))) {
    throw unsound(at, 'the checksum of a header is wrong')
  }
  const magic = block.toString('latin1', MAGIC_AT, MAGIC_AT + 6)
  const isKnown = magic.startsWith('ustar')
  const isDevice = isKnown && '34'.includes(flagOf(block))
  return {
    name: nameOf(block, magic),
    type: flagOf(block),
    link: textOf(block, 157, 100),
    mode: number(100, 8, 'mode'),
    uid: number(108, 8, 'owner'),
    gid: number(116, 8, 'group'),
    sizeBytes: number(124, 12, 'size'),
    // Before 1970 is as good a time as any.
    modifiedMs: (parseNumber(block.subarray(136, 148)) ?? 0) * 1000,
    device: isDevice ? [number(329, 8, 'device'), number(337, 8, 'device')] : [0, 0],
  }
}

function flagOf(block: Buffer): string {
  return String.fromCharCode(block[TYPE_AT] ?? 0)
}

/** POSIX parts a long name into two fields; star keeps times in the end of the first one, GNU more than that. */
function nameOf(block: Buffer, magic: string): Buffer {
  const name = textOf(block, 0, 100)
  if (magic !== 'ustar\0') return name
  const isStar = block.toString('latin1', 508, 512) === 'tar\0'
  const prefix = textOf(block, 345, isStar ? 131 : 155)
  return prefix.length === 0 ? name : Buffer.concat([prefix, Buffer.from('/'), name])
}

function textOf(block: Buffer, start: number, length: number): Buffer {
  const field = block.subarray(start, start + length)
  const end = field.indexOf(0)
  return end < 0 ? field : field.subarray(0, end)
}

/** Octal digits, or bytes with the highest bit set; undefined for anything else. */
function parseNumber(field: Buffer): number | undefined {
  const plain = plainOctal(field)
  if (plain >= 0) return plain
  const first = field[0] ?? 0
  if ((first & 0x80) !== 0) {
    // Two's complement of all bits but the first.
    let value = BigInt.asIntN(7, BigInt(first & 0x7f))
    for (const byte of field.subarray(1)) value = value * 256n + BigInt(byte)
    return Number(value)
  }
  const text = field.toString('latin1').replace(/^[ \0]+|[ \0]+$/g, '')
  if (text === '') return 0
  const digits = /^-?[0-7]+(?=\0|$)/.exec(text)?.[0]
  return digits === undefined ? undefined : Number.parseInt(digits, 8)
}

/** Digits to the last byte but one, which is the common form; -1 for what has to be looked at more closely. */
function plainOctal(field: Buffer): number {
  const last = field.length - 1
  if (field[last] !== 0 && field[last] !== 0x20) return -1
  let value = 0
  for (let index = 0; index < last; index++) {
    const digit = (field[index] ?? 0) - 0x30
    if (digit < 0 || digit > 7) return -1
    value = value * 8 + digit
  }
  return value
}

/** Its own bytes count as spaces. Some old writers took the bytes for signed ones. */
function isChecksum(block: Buffer, expected: number): boolean {
  let sum = CHECKSUM_BYTES * 0x20
  let high = 0
  for (let index = 0; index < BLOCK_BYTES; index++) {
    if (index === CHECKSUM_AT) index += CHECKSUM_BYTES
    const byte = block[index] ?? 0
    sum += byte
    high += byte >> 7
  }
  return expected === sum || expected === sum - 256 * high
}

/** An archive that is damaged at a byte. */
export function unsound(at: number, what: string): ArchiveError {
  return new ArchiveError(`it is no sound tar archive: ${what}, at byte ${at}`)
}
