import { basename, dirname } from 'node:path'
import { known, type Reading, unknown } from '../../model/observation.ts'
import { instanceLike, templateOf, unitKind } from './unit-name.ts'
import type { MachineFiles, SystemStats } from '../live/machine-files.ts'
import { provesAbsence, unreadable } from '../live/system-error.ts'
import { filesOf, type SystemdPlace } from './place.ts'
import { readLink, type UnitDirectory } from './unit-directories.ts'

/** Where the name of a unit leads to. Paths are those of the machine that is looked at, without its root. */
export type FoundUnit =
  /** Nothing has the name, or what it is an alias of is not there. */
  | { readonly kind: 'missing' }
  | { readonly kind: 'masked'; readonly unit: string; readonly path: string }
  | {
      readonly kind: 'file'
      /** The unit's own name, where it was looked up by an alias. */
      readonly unit: string
      readonly path: string
      /** The names below which its drop-ins lie, in the order in which they apply. */
      readonly dropInsOf: readonly string[]
      /** Drop-ins are read before the file where the file was reached through a link. */
      readonly isLinked: boolean
    }

// As many as systemd follows.
const MOST_LINKS = 64

/** Something that is looked up: the name it has by now, and the path that was reached. */
interface Position {
  readonly unit: string
  readonly path: string
  readonly isLinked: boolean
}

/**
 * Looks a unit up as systemd does: the first directory that has its name counts, an instance may come from its template,
 * a link to another name inside the directories is an alias, one that leads outside links a file in, and an empty file or
 * /dev/null masks the unit. Unknown is what systemd refuses, or what cannot be read.
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
      return known({ kind: 'file', unit, path, dropInsOf: dropInNames(directories, unit), isLinked })
    if (!stats.value.isSymbolicLink()) return unknown('not-observable', `${path} is no unit file`)
    const target = linkTarget(files, path)
    if (target === undefined) return unknown('not-observable', `${path} leads in a circle`)
    if (target === '/dev/null') return known({ kind: 'masked', unit, path })
    const isAlias = place.unitDirectories.some((directory) => target.startsWith(`${directory}/`))
    if (isAlias && !isValidAlias(basename(path), basename(target))) {
      return unknown('not-observable', `${path} is no valid alias of ${target}`)
    }
    position = isAlias ? follow(directories, unit, target) : { unit, path: target, isLinked: true }
  }
  return unknown('not-observable', `${name} is an alias of an alias without an end`)
}

function search(directories: readonly UnitDirectory[], unit: string): Position | undefined {
  const template = templateOf(unit)
  for (const name of template === undefined ? [unit] : [unit, template]) {
    const directory = directories.find(({ names }) => names.has(name))
    if (directory !== undefined) return { unit, path: `${directory.path}/${name}`, isLinked: false }
  }
  return undefined
}

/** An alias is another name, which is looked up from the start; the same name stays the same unit. */
function follow(directories: readonly UnitDirectory[], unit: string, target: string): Position | undefined {
  const name = basename(target)
  const own = unitKind(unit) === 'instance' && unitKind(name) === 'template' ? instanceLike(name, unit) : name
  return own === unit ? { unit, path: target, isLinked: true } : search(directories, own)
}

/** Whether a name may stand for another: the same type and kind, an instance also for a template. */
function isValidAlias(alias: string, target: string): boolean {
  const [aliasKind, targetKind] = [unitKind(alias), unitKind(target)]
  if (aliasKind === undefined || targetKind === undefined) return false
  if (!/\.(?:service|socket|target|device|timer|path)$/.test(alias)) return false
  if (suffix(alias) !== suffix(target)) return false
  if (targetKind === 'instance') return instanceLike(templateOf(alias) ?? '', target) === alias
  return aliasKind === targetKind || (aliasKind === 'instance' && targetKind === 'template')
}

function suffix(unit: string): string {
  return unit.slice(unit.lastIndexOf('.'))
}

/** Its own name and its aliases, each with its prefixes and its template, and last the type. @see systemd.unit(5) */
function dropInNames(directories: readonly UnitDirectory[], unit: string): readonly string[] {
  const type = suffix(unit)
  const aliases = directories.flatMap(({ links }) =>
    links
      .filter(({ name, target }) => name.endsWith(type) && basename(target() ?? '') === unit)
      .map(({ name }) => name),
  )
  const names = [unit, ...aliases].flatMap((name) => {
    const template = templateOf(name)
    return [name, ...prefixesOf(name), ...(template === undefined ? [] : [template, ...prefixesOf(template)])]
  })
  return [...new Set([...names, type.slice(1)])]
}

/** `a-b-.service` and `a-.service` of `a-b-c.service`. */
function prefixesOf(unit: string): readonly string[] {
  const type = suffix(unit)
  const parts = unit.slice(0, -type.length).split('-')
  return parts.slice(1).map((_, index) => `${parts.slice(0, parts.length - 1 - index).join('-')}-${type}`)
}

function describe(files: MachineFiles, path: string): Reading<SystemStats | null> {
  try {
    return known(files.lstat(path) ?? null)
  } catch (error) {
    return provesAbsence(error) ? known(null) : unreadable(error, path)
  }
}

/** An empty file, or a device such as /dev/null. */
function isNothing(stats: SystemStats): boolean {
  return (stats.isFile() && stats.size === 0) || stats.isCharacterDevice() || stats.isBlockDevice()
}

function linkTarget(files: MachineFiles, path: string): string | undefined {
  const target = readLink(files, path)
  if (target === undefined) return undefined
  return resolvePath(files, target.startsWith('/') ? target : `${dirname(path)}/${target}`, 'parents')
}

/**
 * The path without links, `.` and `..`, as a process sees it on the machine of these files; its last part is only
 * resolved where that is asked for, and none of it needs to exist. Undefined for links that lead in a circle.
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

/** The parts of a path, the first one last. */
function partsOf(path: string): string[] {
  return path
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .toReversed()
}
