import { basename } from 'node:path'
import { known, type Reading, unknown } from '../../../model/observation.ts'
import type { MachineFiles } from '../../../host/live/machine-files.ts'
import { readingOf } from '../../../host/live/machine-reading.ts'
import { unreadable } from '../../../host/live/system-error.ts'
import { readHash } from './berkeley-hash.ts'
import { DamagedDatabase } from './damaged-database.ts'
import {
  parseRpmPackages,
  RPM_DIRECTORIES,
  RPM_FILES,
  type RpmDatabase,
  type RpmPackages,
  selectRpm,
} from './rpm-database.ts'
import { readTable } from './sqlite-table.ts'

interface RpmHeader {
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

/** Of a system with some ten thousand packages. */
const LARGEST_BYTES = 1024 * 1024 * 1024

const SQLITE = 'rpmdb.sqlite'
const BERKELEY = 'Packages'

/** What is in them may not be in the database yet. @see https://www.sqlite.org/tempfiles.html */
const LOGS = ['-wal', '-journal']

/** What rpm keeps of packages by its files, because rpm itself takes locks in them. Its format `ndb` is not understood. */
export function openRpmFiles(files: MachineFiles, machine: string): RpmDatabase {
  const reading = readingOf(files)
  const there = (): readonly string[] =>
    RPM_DIRECTORIES.flatMap((directory) => RPM_FILES.map((name) => `${directory}/${name}`)).filter(
      (path) => reading.stat(path).kind !== 'absent',
    )
  let packages: Reading<RpmPackages> | undefined
  return {
    exists: () => there().length > 0,
    async find(name) {
      packages ??= load(files, there(), machine)
      return packages.kind === 'unknown' ? packages : known(selectRpm(packages.value, name))
    },
    forget() {
      packages = undefined
    },
  }
}

function load(files: MachineFiles, paths: readonly string[], machine: string): Reading<RpmPackages> {
  const [path, ...others] = withoutAliases(files, paths)
  if (path === undefined) return unknown('not-observable', 'no rpm database found')
  if (others.length > 0)
    return unknown(
      'not-observable',
      `several rpm databases found, and it is unknown which is in use: ${path} and ${others.join(' and ')}`,
    )
  const format = basename(path)
  if (format !== SQLITE && format !== BERKELEY)
    return unknown('not-observable', `the format of the rpm database ${path} is not supported yet`)
  const real = readingOf(files).realPath(path)
  if (real.kind === 'unknown') return real
  // SQLite has them beside the file itself, not beside a link to it.
  for (const log of LOGS.map((ending) => `${real.value ?? path}${ending}`)) {
    const seen = readingOf(files).stat(log)
    if (seen.kind === 'unknown') return seen
    if (seen.kind === 'absent' || seen.state.sizeBytes === 0) continue
    return unknown(
      'not-observable',
      `${log} holds changes that may be missing from the database; run rpm --rebuilddb on the system`,
    )
  }
  try {
    const bytes = files.whole(path, LARGEST_BYTES)
    const lines = (format === SQLITE ? headersInTable(bytes) : headersInHash(bytes)).map((header) => {
      const { name, epoch, version, release, architecture } = readRpmHeader(header)
      return `${[name, epoch, version, release, architecture].join('\t')}\n`
    })
    return parseRpmPackages(lines.join(''), machine)
  } catch (error) {
    if (error instanceof DamagedDatabase) return unknown('invalid', `${path}: ${error.message}`)
    return unreadable(error, path)
  }
}

function headersInTable(bytes: Buffer): readonly Buffer[] {
  const rows = readTable(bytes, 'Packages')
  if (rows === undefined) throw new DamagedDatabase('not an rpm database: no table Packages')
  return rows.map(([, blob]) => {
    if (!Buffer.isBuffer(blob)) throw new DamagedDatabase('a package is not stored as a header')
    return blob
  })
}

/** Under the key 0 stands which number is the next one. */
function headersInHash(bytes: Buffer): readonly Buffer[] {
  return readHash(bytes).flatMap(([key, header]) => (key.every((byte) => byte === 0) ? [] : [header]))
}

/** /var/lib/rpm is a link to the newer place where both are there. */
function withoutAliases(files: MachineFiles, paths: readonly string[]): readonly string[] {
  const reading = readingOf(files)
  const byPlace = new Map<string, string>()
  for (const path of paths) {
    const real = reading.realPath(path)
    const place = real.kind === 'known' ? (real.value ?? path) : path
    if (!byPlace.has(place)) byPlace.set(place, path)
  }
  return [...byPlace.values()]
}

/** Reads a header as rpm keeps it in its database: an index of tags, and what they have. Throws `DamagedDatabase`. */
function readRpmHeader(blob: Buffer): RpmHeader {
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
