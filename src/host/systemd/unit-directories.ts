import { readUnlessAbsent } from '../if-there.ts'
import { known, type Reading } from '../../model/observation.ts'
import type { DirectoryEntry } from '../live/list-directory.ts'
import type { MachineFiles } from '../live/machine-files.ts'
import { errorCode } from '../live/system-error.ts'
import { once } from '../once.ts'
import { filesOf, PERSISTENT_DIRECTORY, type SystemdPlace } from './place.ts'

/** A symbolic link in a unit directory; its target is read on demand. */
export interface UnitLink {
  readonly name: string
  readonly target: () => string | undefined
}

export interface UnitDirectory {
  readonly path: string
  /** Units enabled here stay enabled. */
  readonly isPersistent: boolean
  /** Units enabled here stay enabled until the next boot. */
  readonly isRuntime: boolean
  readonly names: ReadonlySet<string>
  readonly links: readonly UnitLink[]
  /** Names of the links in its `.wants`, `.requires` and `.upholds` directories. */
  readonly dependencies: ReadonlySet<string>
}

const DEPENDENCIES = /\.(?:wants|requires|upholds)$/

// Backup files of editors and package managers are not unit files.
const LEFTOVERS = /^\.|~$|\.(?:rpm(?:new|save|orig)|dpkg-\w+|ucf-\w+|swp|bak|old|new)$/

/** Reads all unit directories, in order of precedence. Missing ones are left out. */
export function readUnitDirectories(place: SystemdPlace): Reading<readonly UnitDirectory[]> {
  const files = filesOf(place)
  const found: UnitDirectory[] = []
  for (const path of place.unitDirectories) {
    const read = readUnitDirectory(files, path)
    if (read.kind === 'unknown') return read
    if (read.value !== null) found.push(read.value)
  }
  return known(found)
}

function readUnitDirectory(files: MachineFiles, path: string): Reading<UnitDirectory | null> {
  const entries = list(files, path)
  if (entries.kind === 'unknown') return entries
  if (entries.value === null) return known(null)
  const dependencies = new Set<string>()
  for (const entry of entries.value) {
    if (entry.kind !== 'directory' || !DEPENDENCIES.test(entry.name)) continue
    const inside = list(files, `${path}/${entry.name}`)
    if (inside.kind === 'unknown') return inside
    for (const { name } of linksAmong(inside.value ?? [])) dependencies.add(name)
  }
  return known({
    path,
    isPersistent: path === PERSISTENT_DIRECTORY,
    isRuntime: path.startsWith('/run/'),
    names: new Set(entries.value.map(({ name }) => name)),
    links: linksAmong(entries.value).map(({ name }) => ({
      name,
      target: once(() => readLink(files, `${path}/${name}`)),
    })),
    dependencies,
  })
}

function linksAmong(entries: readonly DirectoryEntry[]): readonly DirectoryEntry[] {
  return entries.filter((entry) => entry.kind === 'symlink' && !LEFTOVERS.test(entry.name))
}

function list(files: MachineFiles, path: string): Reading<readonly DirectoryEntry[] | null> {
  return readUnlessAbsent(path, () => files.entries(path))
}

/** The target of a symbolic link as written; undefined if the path is not a link or is unreadable. */
export function readLink(files: MachineFiles, path: string): string | undefined {
  try {
    return files.link(path)
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    return undefined
  }
}
