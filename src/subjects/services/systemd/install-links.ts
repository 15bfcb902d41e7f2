import { unlessAbsent } from '../../../host/if-there.ts'
import { basename, dirname, posix } from 'node:path'
import { known, type Reading, unknown } from '../../../model/observation.ts'
import { instanceLike, suffix, templateOf, unitKind } from '../../../host/systemd/unit-name.ts'
import type { MachineFiles } from '../../../host/live/machine-files.ts'
import { findUnit, type FoundUnit, resolvePath } from '../../../host/systemd/find-unit.ts'
import { type InstallSection, MAY_HAVE_ALIASES, readInstallSection } from './install-section.ts'
import { linksTo } from './links-to.ts'
import { filesOf, PERSISTENT_DIRECTORY, type SystemdPlace } from '../../../host/systemd/place.ts'
import { readLink, readUnitDirectories, type UnitDirectory } from '../../../host/systemd/unit-directories.ts'
import { readUnitTexts } from '../../../host/systemd/unit-texts.ts'

/** A link to create or remove for a change of enablement. */
export type LinkChange =
  | { readonly kind: 'make'; readonly path: string; readonly target: string }
  | { readonly kind: 'remove'; readonly path: string }

/** A change of the enablement of a unit. */
export type EnablementStep = 'enable' | 'disable' | 'mask' | 'unmask'

/**
 * The links that `systemctl --root` would create and remove on a system that is not running. A change that systemctl
 * refuses, or whose links are unknown, is unknown with the reason. @see systemctl(1), systemd.unit(5) "[Install] SECTION
 * OPTIONS"
 */
export function linkChanges(place: SystemdPlace, step: EnablementStep, unit: string): Reading<readonly LinkChange[]> {
  const directories = readUnitDirectories(place)
  if (directories.kind === 'unknown') return directories
  const units = { place, files: filesOf(place), directories: directories.value }
  switch (step) {
    case 'enable':
      return changesToEnable(units, unit)
    case 'disable':
      return changesToDisable(units, unit)
    case 'mask':
      return changesToMask(units, unit)
    case 'unmask':
      return changesToUnmask(units, unit)
  }
}

/** The other units that are enabled and disabled with a unit: the transitive `Also=` units. */
export function namedWith(place: SystemdPlace, unit: string): Reading<readonly string[]> {
  const directories = readUnitDirectories(place)
  if (directories.kind === 'unknown') return directories
  const all = withOthers({ place, files: filesOf(place), directories: directories.value }, unit)
  if (all.kind === 'unknown') return known([])
  return known(all.value.map(({ name }) => name).filter((name) => name !== unit))
}

interface Units {
  readonly place: SystemdPlace
  readonly files: MachineFiles
  readonly directories: readonly UnitDirectory[]
}

/** A unit with its file and [Install] section. */
interface Installed {
  readonly name: string
  readonly path: string
  readonly section: InstallSection
}

const MASK = '/dev/null'

function refusedReading(detail: string): Reading<never> {
  return unknown('not-observable', detail)
}

function changesToEnable(units: Units, unit: string): Reading<readonly LinkChange[]> {
  const all = withOthers(units, unit)
  if (all.kind === 'unknown') return all
  const changes = new Map<string, LinkChange>()
  for (const installed of all.value) {
    const links = linksOf(units, installed)
    if (links.kind === 'unknown') return links
    for (const { path, target, replaces } of links.value) {
      const seen = lookAt(units.files, path)
      if (seen === 'other' || (seen !== undefined && !replaces && !isSame(units, path, target))) {
        return refusedReading(`${path} exists and does not point to ${target}: remove it first`)
      }
      if (!isSame(units, path, target)) changes.set(path, { kind: 'make', path, target })
    }
  }
  return known([...changes.values()])
}

/** The unit with its transitive `Also=` units. Missing or masked units among them are skipped. */
function withOthers(units: Units, unit: string): Reading<readonly Installed[]> {
  const found = new Map<string, Installed>()
  const names = new Set([unit])
  for (const name of names) {
    const one = findInstalled(units, name)
    if (one.kind === 'unknown') return one
    if (typeof one.value === 'string') {
      if (name === unit) return refusedReading(one.value)
      continue
    }
    found.set(one.value.name, one.value)
    for (const word of one.value.section.also) {
      const other = expand(word, one.value)
      if (other.kind === 'unknown') return other
      names.add(other.value)
    }
  }
  return known([...found.values()])
}

/** Returns a string with the reason if the unit cannot be enabled. */
function findInstalled({ place, files, directories }: Units, name: string): Reading<Installed | string> {
  const found = findUnit(place, directories, name)
  if (found.kind === 'unknown') return found
  if (found.value.kind !== 'file') return known(whyNot(name, found.value))
  const { unit, path } = found.value
  const texts = readUnitTexts(files, directories, found.value)
  if (texts.kind === 'unknown') return texts
  const section = readInstallSection(
    unit,
    texts.value.map(({ text }) => text),
  )
  return known({ name: unit, path, section })
}

function whyNot(name: string, { kind }: Exclude<FoundUnit, { kind: 'file' }>): string {
  return kind === 'masked' ? `${name} is masked` : `the unit ${name} does not exist`
}

interface DesiredLink {
  readonly path: string
  readonly target: string
  /** Whether to replace an existing link at the path. */
  readonly replaces: boolean
}

function linksOf(units: Units, installed: Installed): Reading<readonly DesiredLink[]> {
  const { name, path, section } = installed
  const links: DesiredLink[] = []
  for (const word of section.aliases) {
    const alias = expand(word, installed)
    if (alias.kind === 'unknown') return alias
    const own =
      unitKind(alias.value) === 'template' && unitKind(name) === 'instance'
        ? instanceLike(alias.value, name)
        : alias.value
    if (own === name) continue
    if (!mayBeAlias(own, name)) return refusedReading(`${own} cannot be an alias of ${name}`)
    const at = `${PERSISTENT_DIRECTORY}/${own}`
    links.push({ path: at, target: path, replaces: isBroken(units.files, at) })
  }
  const dependencies = { wants: section.wantedBy, requires: section.requiredBy, upholds: section.upheldBy }
  for (const [kind, words] of Object.entries(dependencies)) {
    const own = withDefaultInstance(installed)
    for (const word of words) {
      const other = expand(word, installed)
      if (other.kind === 'unknown') return other
      const otherKind = unitKind(other.value)
      if (otherKind === undefined) return refusedReading(`${name}: ${other.value} is not a valid unit name`)
      if (unitKind(own) === 'template' && otherKind !== 'template') {
        return refusedReading(`${name} is a template without a DefaultInstance, which ${other.value} cannot start`)
      }
      links.push({ path: `${PERSISTENT_DIRECTORY}/${other.value}.${kind}/${own}`, target: path, replaces: true })
    }
  }
  const isInSearchPath = units.place.unitDirectories.includes(dirname(path))
  return known(
    isInSearchPath ? links : [...links, { path: `${PERSISTENT_DIRECTORY}/${name}`, target: path, replaces: false }],
  )
}

function withDefaultInstance({ name, section: { defaultInstance } }: Installed): string {
  if (unitKind(name) !== 'template' || defaultInstance === undefined) return name
  return name.replace('@.', `@${defaultInstance}.`)
}

/** An alias needs the type of the unit; the alias of a template is a template or an instance. */
function mayBeAlias(alias: string, name: string): boolean {
  if (!MAY_HAVE_ALIASES.test(name) || suffix(alias) !== suffix(name)) return false
  const [own, of] = [unitKind(alias), unitKind(name)]
  if (own === undefined) return false
  if (of === 'instance') return own === of && instanceLike(templateOf(alias) ?? '', name) === alias
  return own === of || (of === 'template' && own === 'instance')
}

/** Expands the specifiers that depend only on the unit. @see systemd.unit(5), "SPECIFIERS" */
function expand(word: string, { name, section }: Pick<Installed, 'name' | 'section'>): Reading<string> {
  const dot = name.lastIndexOf('.')
  const [prefix = '', ...rest] = name.slice(0, dot).split('@')
  const instance = rest.join('@') || section.defaultInstance || ''
  const values: Readonly<Record<string, string>> = {
    '%': '%',
    n: name,
    N: name.slice(0, dot),
    p: prefix,
    j: prefix.slice(prefix.lastIndexOf('-') + 1),
    i: instance,
  }
  const unknownOnes = [...word.matchAll(/%(.?)/g)].filter(([, letter = '']) => values[letter] === undefined)
  const [first] = unknownOnes
  if (first !== undefined)
    return refusedReading(`${name}: the value of ${first[0]} in ${word} is known only on a running system`)
  return known(word.replace(/%(.)/g, (_, letter: string) => values[letter] ?? ''))
}

function lookAt(files: MachineFiles, path: string): 'link' | 'other' | undefined {
  if (readLink(files, path) !== undefined) return 'link'
  return unlessAbsent(() => files.lstat(path)) === undefined ? undefined : 'other'
}

function isBroken(files: MachineFiles, path: string): boolean {
  const target = resolvePath(files, path, 'last-too')
  return target === undefined || target === MASK || lookAt(files, target) === undefined
}

/** Whether a link at the path already leads to the file, or to a file of the same name with higher precedence. */
function isSame({ place, files }: Units, path: string, target: string): boolean {
  const written = readLink(files, path)
  if (written === undefined) return false
  const absolute = posix.resolve(dirname(path), written)
  const isUnit = [absolute, target].every((each) => place.unitDirectories.includes(dirname(each)))
  if (isUnit && basename(absolute) === basename(target)) return true
  const [left, right] = [absolute, target].map((each) => resolvePath(files, each, 'last-too'))
  return left !== undefined && left === right
}

function changesToDisable(units: Units, unit: string): Reading<readonly LinkChange[]> {
  const marked = new Set<string>()
  const names = new Set([unit])
  for (const name of names) {
    const one = findInstalled(units, name)
    if (one.kind === 'unknown') return one
    if (typeof one.value === 'string') {
      // Keeps the mask of a masked unit; a unit without a file may have stale links.
      if (lookUpKind(units, name) === 'missing') marked.add(name)
      continue
    }
    marked.add(one.value.name)
    for (const word of one.value.section.also) {
      const other = expand(word, one.value)
      if (other.kind === 'unknown') return other
      names.add(other.value)
    }
  }
  return known(linksTo(units.files, marked).map(removalOf))
}

function lookUpKind({ place, directories }: Units, name: string): string {
  const found = findUnit(place, directories, name)
  return found.kind === 'known' ? found.value.kind : 'unknown'
}

function changesToMask({ files }: Units, unit: string): Reading<readonly LinkChange[]> {
  const path = `${PERSISTENT_DIRECTORY}/${unit}`
  if (readLink(files, path) === MASK) return known([])
  if (lookAt(files, path) !== undefined) return refusedReading(`${path} occupies the path of the mask: move it away`)
  return known([{ kind: 'make', path, target: MASK }])
}

function changesToUnmask({ files }: Units, unit: string): Reading<readonly LinkChange[]> {
  const path = `${PERSISTENT_DIRECTORY}/${unit}`
  const seen = lookAt(files, path)
  const isMask =
    seen === 'link' ? resolvePath(files, path, 'last-too') === MASK : seen === 'other' && isEmpty(files, path)
  if (!isMask) return known([])
  return known([...new Set([path, ...linksTo(files, new Set([path]))])].map(removalOf))
}

function removalOf(path: string): LinkChange {
  return { kind: 'remove', path }
}

function isEmpty(files: MachineFiles, path: string): boolean {
  const stats = files.lstat(path)
  return stats?.isFile() === true && stats.size === 0
}
