import { damagedArchiveError } from './tar-header.ts'

/** The records of a pax header that are used. */
export interface PaxRecords {
  readonly path: Buffer | undefined
  readonly linkpath: Buffer | undefined
  readonly size: number | undefined
  readonly uid: number | undefined
  readonly gid: number | undefined
  readonly modifiedMs: number | undefined
  readonly isSparse: boolean
  /** Extended attributes by kernel name. */
  readonly attributes: ReadonlyMap<string, Buffer>
}

export const NO_RECORDS: PaxRecords = {
  path: undefined,
  linkpath: undefined,
  size: undefined,
  uid: undefined,
  gid: undefined,
  modifiedMs: undefined,
  isSparse: false,
  attributes: new Map(),
}

const ATTRIBUTE = 'SCHILY.xattr.'

/** Parses the records of a pax header at an offset of the archive. Throws an `ArchiveError` if they are invalid. @see pax(1) */
export function parsePax(bytes: Buffer, at: number): PaxRecords {
  const records = new Map<string, Buffer>()
  for (let start = 0; start < bytes.length;) {
    const record = recordAt(bytes, start)
    if (record === undefined) throw damagedArchiveError(at, 'malformed extended header')
    // An empty value removes the record, so that the field of the header applies.
    if (record.value.length === 0) records.delete(record.key)
    else records.set(record.key, record.value)
    start = record.end
  }
  const text = (key: string): string | undefined => records.get(key)?.toString('latin1')
  const whole = (key: string): number | undefined => {
    const value = text(key)
    if (value === undefined) return undefined
    const found = /^\d{1,16}$/.test(value) ? Number(value) : Number.NaN
    if (Number.isSafeInteger(found)) return found
    throw damagedArchiveError(at, `invalid ${key} in an extended header`)
  }
  const path = (key: string): Buffer | undefined => {
    const value = records.get(key)
    if (value?.includes(0) === true) throw damagedArchiveError(at, 'a name contains a NUL character')
    return value
  }
  const modified = Number(text('mtime') ?? Number.NaN)
  return {
    path: path('path'),
    linkpath: path('linkpath'),
    size: whole('size'),
    uid: whole('uid'),
    gid: whole('gid'),
    modifiedMs: Number.isFinite(modified) ? modified * 1000 : undefined,
    isSparse: [...records.keys()].some((key) => key.startsWith('GNU.sparse.')),
    attributes: attributesIn(records),
  }
}

function attributesIn(records: ReadonlyMap<string, Buffer>): ReadonlyMap<string, Buffer> {
  const found = [...records].filter(([key]) => key.startsWith(ATTRIBUTE))
  if (found.length === 0) return NO_RECORDS.attributes
  return new Map(found.map(([key, value]) => [key.slice(ATTRIBUTE.length), value]))
}

interface PaxRecord {
  readonly key: string
  readonly value: Buffer
  readonly end: number
}

/** `LENGTH KEY=VALUE` and a line feed; the length includes all of it. The value is copied. */
function recordAt(bytes: Buffer, start: number): PaxRecord | undefined {
  const space = bytes.indexOf(0x20, start)
  const digits = bytes.toString('latin1', start, space < 0 ? start : Math.min(space, start + 8))
  if (!/^[1-9]\d*$/.test(digits)) return undefined
  const end = start + Number(digits)
  const equals = bytes.indexOf(0x3d, space)
  if (end > bytes.length || equals < 0 || equals >= end || bytes[end - 1] !== 0x0a) return undefined
  const key = bytes.toString('utf8', space + 1, equals)
  return { key, value: Buffer.from(bytes.subarray(equals + 1, end - 1)), end }
}
