import { DamagedDatabase } from './damaged-database.ts'

/** What of the header of a package is asked for. */
export interface RpmHeader {
  readonly name: string
  readonly epoch: number
  readonly version: string
  readonly release: string
  /** `(none)` if absent, as rpm prints it. */
  readonly architecture: string
}

const NAME = 1000
const VERSION = 1001
const RELEASE = 1002
const EPOCH = 1003
const ARCHITECTURE = 1022

const INT32 = 4
const STRING = 6

const ENTRY_BYTES = 16
const PREAMBLE_BYTES = 8

/** Reads a header as rpm keeps it in its database: an index of tags, and what they have. Throws `DamagedDatabase`. */
export function readRpmHeader(blob: Buffer): RpmHeader {
  if (blob.length < PREAMBLE_BYTES) throw new DamagedDatabase('a package has no header')
  const [entries, dataBytes] = [blob.readUInt32BE(0), blob.readUInt32BE(4)]
  const start = PREAMBLE_BYTES + entries * ENTRY_BYTES
  if (start + dataBytes !== blob.length) throw new DamagedDatabase('the length of a package header does not match')
  const data = blob.subarray(start)
  const places = new Map<number, { readonly type: number; readonly offset: number }>()
  for (let at = PREAMBLE_BYTES; at < start; at += ENTRY_BYTES) {
    places.set(blob.readUInt32BE(at), { type: blob.readUInt32BE(at + 4), offset: blob.readUInt32BE(at + 8) })
  }
  const text = (tag: number): string | undefined => {
    const place = places.get(tag)
    if (place === undefined) return undefined
    const end = data.indexOf(0, place.offset)
    if (place.type !== STRING || end === -1) throw new DamagedDatabase('a string of the package header is invalid')
    return data.toString('utf8', place.offset, end)
  }
  const [name, version, release] = [text(NAME), text(VERSION), text(RELEASE)]
  if (name === undefined || version === undefined || release === undefined) {
    throw new DamagedDatabase('a package lacks its name or version')
  }
  const epoch = places.get(EPOCH)
  if (epoch !== undefined && (epoch.type !== INT32 || epoch.offset + 4 > data.length)) {
    throw new DamagedDatabase('the epoch of a package is not a number')
  }
  return {
    name,
    version,
    release,
    epoch: epoch === undefined ? 0 : data.readUInt32BE(epoch.offset),
    architecture: text(ARCHITECTURE) ?? '(none)',
  }
}
