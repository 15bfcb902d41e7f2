import { readUnlessAbsent, unlessAbsent } from '../../../host/if-there.ts'
import { join } from 'node:path'
import { countOf } from '../../../model/count-of.ts'
import { compileGlob } from '../../../model/go-glob.ts'
import { known, type Reading, unknown, type Unknown, mapReading } from '../../../model/observation.ts'
import type { PackageInstance } from '../packages.ts'
import { filesBelow, type MachineFiles } from '../../../host/live/machine-files.ts'
import { errorCode, provesAbsence, unreadable } from '../../../host/live/system-error.ts'
import { type DpkgDialect, type DpkgPackage, parseDpkgStatus } from './dpkg-status.ts'

/** dpkg's database, read on first use and cached until `forget`. */
export interface DpkgDatabase {
  exists(): boolean
  find(name: string): Reading<readonly PackageInstance[]>
  /** The machine's architecture in dpkg's notation; undefined if the database does not state it. */
  nativeArchitecture(): string | undefined
  /** Checks for changes of the database before its next use. */
  forget(): void
}

interface DpkgPlace {
  readonly directory: string
  readonly files: MachineFiles
}

interface Contents {
  readonly stamp: string
  readonly native: string | undefined
  /** By name, in lower case as dpkg writes it. */
  readonly packages: ReadonlyMap<string, readonly DpkgPackage[]>
}

/** A machine with everything that Debian has installed keeps some 150 MB. */
const LARGEST_FILE_BYTES = 512 * 1024 * 1024

/** Maximum number of reads of a database that changes while it is read. */
const ATTEMPTS = 5

/** Opens the database in a directory such as `/var/lib/dpkg`. No program is run. */
export function openDpkgDatabase(directory: string, files: MachineFiles = filesBelow('')): DpkgDatabase {
  const place: DpkgPlace = { directory, files }
  let contents: Reading<Contents> | undefined
  let isDoubtful = false

  function load(): Reading<Contents> {
    if (contents !== undefined && isDoubtful && !isCurrent(contents, place)) contents = undefined
    isDoubtful = false
    contents ??= readContents(place)
    return contents
  }

  return {
    // On other systems, the dpkg tool leaves an empty file; a file that a crash emptied is next to dpkg's own files.
    exists: () => ['status.d', 'info/dpkg.list'].some((name) => isThere(place, name)) || !isEmpty(place, 'status'),
    find(name) {
      return mapReading(load(), (current) => select(current, name))
    },
    nativeArchitecture() {
      const current = load()
      return current.kind === 'known' ? current.value.native : undefined
    },
    forget() {
      isDoubtful = true
    },
  }
}

/** True if the path exists or is unreadable, so that the later read reports the error. */
function isThere({ directory, files }: DpkgPlace, name: string): boolean {
  try {
    return files.stat(join(directory, name)) !== undefined
  } catch (error) {
    return !provesAbsence(error)
  }
}

/** Whether the file is missing or empty. */
function isEmpty({ directory, files }: DpkgPlace, name: string): boolean {
  try {
    return (files.stat(join(directory, name))?.size ?? 0) === 0
  } catch (error) {
    return provesAbsence(error)
  }
}

function select({ packages, native }: Contents, name: string): readonly PackageInstance[] {
  const [base = '', architecture] = name.split(':')
  const isNative = (it: DpkgPackage): boolean =>
    native === undefined || it.architecture === native || it.architecture === 'all' || it.architecture === ''
  const isMeant = (it: DpkgPackage): boolean => {
    if (architecture === undefined || architecture === 'any') return true
    if (architecture === 'native' || architecture === native) return isNative(it)
    return it.architecture === architecture
  }
  return findNamed(packages, base)
    .filter(isMeant)
    .flatMap((it) => {
      if (it.state === 'not-installed') return []
      const id = isNative(it) ? it.name : `${it.name}:${it.architecture}`
      return [{ id, native: isNative(it), ...it, state: it.state }]
    })
}

/** Packages of a name, or of all names that match a pattern. */
function findNamed(packages: Contents['packages'], name: string): readonly DpkgPackage[] {
  if (!/[*?[]/.test(name)) return packages.get(name) ?? []
  const matches = compileGlob(name.replaceAll('[!', '[^'))
  return [...packages].flatMap(([each, found]) => (matches?.(each) === true ? found : []))
}

function readContents(place: DpkgPlace): Reading<Contents> {
  try {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const stamp = stampOf(place)
      const contents = readOnce(place, stamp)
      if (stampOf(place) === stamp) return contents
    }
  } catch (error) {
    return unreadable(error, place.directory)
  }
  return unknown('not-observable', `${place.directory}: the package database changes faster than it can be read`)
}

function readOnce(place: DpkgPlace, stamp: string): Reading<Contents> {
  const packages = new Map<string, DpkgPackage[]>()
  for (const { path, missingStatus } of sources(place)) {
    const text = readText(place, path)
    if (text.kind === 'unknown') return text
    const parsed = parseDpkgStatus(text.value ?? '', { missingStatus })
    if (parsed.kind === 'damaged') return damagedDatabase(path, parsed.detail)
    for (const found of parsed.packages) addPackage(packages, found)
  }
  // Every machine has packages; a database without packages was emptied, as by a crash.
  if (packages.size === 0) return damagedDatabase(place.directory, 'it contains no packages')
  const loss = findLoss(place, packages)
  if (loss !== undefined) return damagedDatabase(place.directory, loss)
  return known({ stamp, native: nativeArchitecture(place, packages), packages })
}

/**
 * What shows that entries are missing, as in a file that was cut between two of them: dpkg keeps a list of files for each
 * package beside its database as long as there is anything of the package, and a database that dpkg writes has dpkg in it.
 */
function findLoss(place: DpkgPlace, packages: ReadonlyMap<string, readonly DpkgPackage[]>): string | undefined {
  const lost = list(place, 'info').filter((file) => {
    const [, name = '', architecture] = /^([^:]+)(?::([^:]+))?\.list$/.exec(file) ?? []
    if (name === '') return false
    const found = packages.get(name) ?? []
    return architecture === undefined ? found.length === 0 : found.every((it) => it.architecture !== architecture)
  })
  const [first] = lost
  if (first !== undefined) {
    return `no entries for ${countOf(lost.length, 'package')} with a file list, such as info/${first}`
  }
  if (packages.has('dpkg') || isEmpty(place, 'status')) return undefined
  return 'no entry for dpkg itself'
}

/** The files of the database; later files override earlier ones. */
function sources(place: DpkgPlace): readonly (DpkgDialect & { readonly path: string })[] {
  const parts = list(place, 'status.d')
    // Images built without dpkg keep the checksums of a package's files beside its description.
    .filter((name) => !name.endsWith('.md5sums'))
    .map((name) => ({ path: join(place.directory, 'status.d', name), missingStatus: 'installed' as const }))
  // Changes since dpkg last wrote the whole file.
  const updates = list(place, 'updates')
    .filter((name) => /^[0-9]+$/.test(name))
    .map((name) => ({ path: join(place.directory, 'updates', name), missingStatus: 'damaged' as const }))
  return [{ path: join(place.directory, 'status'), missingStatus: 'damaged' }, ...parts, ...updates]
}

/** The names in a directory, sorted; empty if it does not exist. Throws other errors. */
function list({ directory, files }: DpkgPlace, name: string): readonly string[] {
  return unlessAbsent(() => files.names(join(directory, name)).toSorted()) ?? []
}

function readText({ files }: DpkgPlace, path: string): Reading<string | null> {
  // All fields in use are ASCII, and latin1 is the fastest decoding.
  return readUnlessAbsent(path, () => files.whole(path, LARGEST_FILE_BYTES).toString('latin1'))
}

function damagedDatabase(path: string, detail: string): Unknown {
  return unknown('not-observable', `${path}: the package database is damaged: ${detail}`)
}

function addPackage(packages: Map<string, DpkgPackage[]>, found: DpkgPackage): void {
  const name = found.name.toLowerCase()
  const others = (packages.get(name) ?? []).filter(({ architecture }) => architecture !== found.architecture)
  packages.set(name, [...others, found])
}

/** The dpkg package has the machine's architecture; if it is not installed, the list of architectures begins with it. */
function nativeArchitecture(
  place: DpkgPlace,
  packages: ReadonlyMap<string, readonly DpkgPackage[]>,
): string | undefined {
  const own = packages.get('dpkg')?.find(({ state }) => state === 'installed')?.architecture
  if (own !== undefined) return own
  const text = readText(place, join(place.directory, 'arch'))
  const first = text.kind === 'known' ? text.value?.split('\n', 1)[0]?.trim() : undefined
  return first === '' ? undefined : first
}

/** Changes whenever the database does. */
function stampOf({ directory, files }: DpkgPlace): string {
  return ['status', 'status.d', 'updates']
    .map((name) => {
      const stats = files.stat(join(directory, name))
      return stats === undefined ? 'absent' : `${stats.dev}:${stats.ino}:${stats.size}:${stats.ctimeMs}`
    })
    .join(' ')
}

function isCurrent(contents: Reading<Contents>, place: DpkgPlace): boolean {
  if (contents.kind === 'unknown') return false
  try {
    return stampOf(place) === contents.value.stamp
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    return false
  }
}
