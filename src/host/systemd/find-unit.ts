import { readUnlessAbsent } from '../if-there.ts'
import { basename, dirname } from 'node:path'
import { known, type Reading, unknown } from '../../model/observation.ts'
import { dropInNames, instanceLike, suffix, templateOf, unitKind } from './unit-name.ts'
import type { MachineFiles, SystemStats } from '../live/machine-files.ts'
import { filesOf, type SystemdPlace } from './place.ts'
import { readLink, type UnitDirectory } from './unit-directories.ts'

/** The result of looking up a unit name. Paths are those of the target, without its root. */
export type FoundUnit =
  /** There is no such unit, or the target of the alias is missing. */
  | { readonly kind: 'missing' }
  | { readonly kind: 'masked'; readonly unit: string; readonly path: string }
  | {
      readonly kind: 'file'
      /** The unit's own name, if it was looked up by an alias. */
      readonly unit: string
      readonly path: string
      /** The names of its drop-in directories, in the groups of `dropInNames`. */
      readonly dropInsOf: readonly (readonly string[])[]
      /** Drop-ins are read before the file if the file was reached through a link. */
      readonly isLinked: boolean
    }

// The limit of systemd.
const MOST_LINKS = 64

/** The state of a lookup: the current name, and the path reached. */
interface Position {
  readonly unit: string
  readonly path: string
  readonly isLinked: boolean
}

/**
 * Looks up a unit as systemd does: the first directory with the name takes precedence, an instance may come from its
 * template, a link to another name inside the directories is an alias, a link to outside is a linked unit file, and an
 * empty file or /dev/null masks the unit. Unknown if systemd rejects it, or if it cannot be read.
 */
export function findUnit(place: SystemdPlace, directories: readonly UnitDirectory[], name: string): Reading<FoundUnit> {
  const files = filesOf(place)
  let position = search(directories, name)
  for (let links = 0; links <= MOST_LINKS; links++) {
    if (position === undefined) return known({ kind: 'missing' })
    const { unit, path, isLinked } = position
    const stats = describe(files, path)
    if (stats.kind === 'unknown') return stats
    if (stats.value === null) return known({ kind: 'missing' })
    if (isNothing(stats.value)) return known({ kind: 'masked', unit, path })
    if (stats.value.isFile())
      return known({ kind: 'file', unit, path, dropInsOf: dropInNames(unit, aliasesOf(directories, unit)), isLinked })
    if (!stats.value.isSymbolicLink()) return unknown('not-observable', `${path} is not a unit file`)
    const target = linkTarget(files, path)
    if (target === undefined) return unknown('not-observable', `${path} is a link loop`)
    if (target === '/dev/null') return known({ kind: 'masked', unit, path })
    const isAlias = place.unitDirectories.some((directory) => target.startsWith(`${directory}/`))
    if (isAlias && !isValidAlias(basename(path), basename(target))) {
      return unknown('not-observable', `${path} is not a valid alias of ${target}`)
    }
    position = isAlias ? follow(directories, unit, target) : { unit, path: target, isLinked: true }
  }
  return unknown('not-observable', `${name} is an endless chain of aliases`)
}

function search(directories: readonly UnitDirectory[], unit: string): Position | undefined {
  const template = templateOf(unit)
  for (const name of template === undefined ? [unit] : [unit, template]) {
    const directory = directories.find(({ names }) => names.has(name))
    if (directory !== undefined) return { unit, path: `${directory.path}/${name}`, isLinked: false }
  }
  return undefined
}

/** An alias is looked up from the start; a link of the same name stays the same unit. */
function follow(directories: readonly UnitDirectory[], unit: string, target: string): Position | undefined {
  const name = basename(target)
  const own = unitKind(unit) === 'instance' && unitKind(name) === 'template' ? instanceLike(name, unit) : name
  return own === unit ? { unit, path: target, isLinked: true } : search(directories, own)
}

/** Whether a name may be an alias of another: same type and kind, or an instance of a template. */
function isValidAlias(alias: string, target: string): boolean {
  const [aliasKind, targetKind] = [unitKind(alias), unitKind(target)]
  if (aliasKind === undefined || targetKind === undefined) return false
  if (!/\.(?:service|socket|target|device|timer|path)$/.test(alias)) return false
  if (suffix(alias) !== suffix(target)) return false
  if (targetKind === 'instance') return instanceLike(templateOf(alias) ?? '', target) === alias
  return aliasKind === targetKind || (aliasKind === 'instance' && targetKind === 'template')
}

function aliasesOf(directories: readonly UnitDirectory[], unit: string): readonly string[] {
  return directories.flatMap(({ links }) =>
    links
      .filter(({ name, target }) => name.endsWith(suffix(unit)) && basename(target() ?? '') === unit)
      .map(({ name }) => name),
  )
}

function describe(files: MachineFiles, path: string): Reading<SystemStats | null> {
  return readUnlessAbsent(path, () => files.lstat(path) ?? null)
}

/** Whether the file masks a unit: an empty file, or a device such as /dev/null. */
function isNothing(stats: SystemStats): boolean {
  return (stats.isFile() && stats.size === 0) || stats.isCharacterDevice() || stats.isBlockDevice()
}

function linkTarget(files: MachineFiles, path: string): string | undefined {
  const target = readLink(files, path)
  if (target === undefined) return undefined
  return resolvePath(files, target.startsWith('/') ? target : `${dirname(path)}/${target}`, 'parents')
}

/**
 * Resolves links, `.` and `..` of a path on the machine of these files; the last component only if requested, and no
 * component needs to exist. Undefined for circular links.
 */
export function resolvePath(files: MachineFiles, path: string, depth: 'parents' | 'last-too'): string | undefined {
  const ahead = partsOf(path)
  const done: string[] = []
  let links = 0
  for (let part = ahead.pop(); part !== undefined; part = ahead.pop()) {
    if (part === '..') {
      done.pop()
      continue
    }
    done.push(part)
    if (ahead.length === 0 && depth === 'parents') break
    const target = readLink(files, `/${done.join('/')}`)
    if (target === undefined) continue
    if (++links > MOST_LINKS) return undefined
    done.pop()
    if (target.startsWith('/')) done.length = 0
    ahead.push(...partsOf(target))
  }
  return `/${done.join('/')}`
}

/** The components of a path in reverse. */
function partsOf(path: string): string[] {
  return path
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .toReversed()
}
