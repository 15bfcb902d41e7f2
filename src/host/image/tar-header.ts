import { ArchiveError } from '../archive/archive-error.ts'

/** Alignment of headers and contents. */
export const BLOCK_BYTES = 512

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

/** Whether a block is an end marker. */
export function isEmptyBlock(block: Buffer): boolean {
  for (let index = 0; index < BLOCK_BYTES; index += 4) if (block.readInt32LE(index) !== 0) return false
  return true
}

/** Parses a header at an offset of its archive. Throws an `ArchiveError` if it is invalid. */
export function parseHeader(block: Buffer, at: number): RawHeader {
  const number = (start: number, length: number, what: string): number => {
    const value = parseNumber(block.subarray(start, start + length))
    if (value === undefined) throw damagedArchiveError(at, `the ${what} of an entry is not a number`)
    if (value < 0) throw damagedArchiveError(at, `the ${what} of an entry is negative`)
    if (value > Number.MAX_SAFE_INTEGER) throw damagedArchiveError(at, `the ${what} of an entry is too large`)
    return value
  }
  if (!isChecksum(block, number(CHECKSUM_AT, CHECKSUM_BYTES, 'checksum'))) {
    throw damagedArchiveError(at, 'header checksum mismatch')
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
    // Times before 1970 are valid.
    modifiedMs: (parseNumber(block.subarray(136, 148)) ?? 0) * 1000,
    device: isDevice ? [number(329, 8, 'device'), number(337, 8, 'device')] : [0, 0],
  }
}

function flagOf(block: Buffer): string {
  return String.fromCharCode(block[TYPE_AT] ?? 0)
}

/** POSIX splits a long name into two fields; star keeps times at the end of the prefix field, GNU tar even more. */
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

/** A number in octal digits, or in base 256 with the highest bit set; undefined if invalid. */
function parseNumber(field: Buffer): number | undefined {
  const plain = plainOctal(field)
  if (plain >= 0) return plain
  const first = field[0] ?? 0
  if ((first & 0x80) !== 0) {
    // Two's complement without the first bit.
    let value = BigInt.asIntN(7, BigInt(first & 0x7f))
    for (const byte of field.subarray(1)) value = value * 256n + BigInt(byte)
    return Number(value)
  }
  const text = field.toString('latin1').replace(/^[ \0]+|[ \0]+$/g, '')
  if (text === '') return 0
  const digits = /^-?[0-7]+(?=\0|$)/.exec(text)?.[0]
  return digits === undefined ? undefined : Number.parseInt(digits, 8)
}

/** Fast path: octal digits up to the last byte, which is the common format; -1 for all others. */
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

/** The checksum counts its own bytes as spaces. Some old writers summed signed bytes. */
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

export function damagedArchiveError(at: number, what: string): ArchiveError {
  return new ArchiveError(`damaged tar archive at byte ${at}: ${what}`)
}
