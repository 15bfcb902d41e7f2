import { defined } from '../../../model/defined.ts'
import { known, type Reading } from '../../../model/observation.ts'
import type { MachineFiles } from '../../../host/live/machine-files.ts'
import { provesAbsence, unreadable } from '../../../host/live/system-error.ts'
import { findUnit, type FoundUnit } from '../../../host/systemd/find-unit.ts'
import { filesOf, type SystemdPlace } from '../../../host/systemd/place.ts'
import type { UnitDirectory } from '../../../host/systemd/unit-directories.ts'
import { unitKind } from '../../../host/systemd/unit-name.ts'
import { assignmentsIn } from '../../../host/systemd/unit-syntax.ts'
import { readDropIns, readUnitTexts, type UnitText } from '../../../host/systemd/unit-texts.ts'

export interface UnitStart {
  readonly name: string
  /** The line that declares it; absent if implied by the type of the unit, such as a timer. */
  readonly at?: string
}

export interface Startup {
  /** For each unit: the units that start it, except by links in `.wants` and similar directories. */
  readonly starts: ReadonlyMap<string, readonly UnitStart[]>
  /** The primary names of all units that start, links included. */
  readonly reached: ReadonlySet<string>
}

/** Every boot goes through these targets, even if the default target has another name. */
const ALWAYS = ['sysinit', 'basic', 'sockets', 'timers', 'paths'].map((name) => `${name}.target`)
const DEFAULT_TARGET = 'default.target'
const USUAL_TARGET = 'multi-user.target'

const STARTING = new Set(['Wants', 'Requires', 'BindsTo', 'Upholds'])
const LINKS = ['wants', 'requires', 'upholds']

/**
 * Follows the units that the default target starts, through dependencies, links, timers, sockets and paths. Conditions are
 * ignored, because systemd starts the dependencies of a unit before it checks them. @see systemd.unit(5), bootup(7)
 */
export function readStartup(place: SystemdPlace, directories: readonly UnitDirectory[]): Reading<Startup> {
  const starts = new Map<string, UnitStart[]>()
  const found = new Map<string, Reading<FoundUnit>>()
  const find = (name: string): Reading<FoundUnit> => {
    const unit = found.get(name) ?? findUnit(place, directories, name)
    found.set(name, unit)
    return unit
  }
  const target = find(DEFAULT_TARGET)
  const first = target.kind === 'known' && target.value.kind === 'file' ? target.value.unit : USUAL_TARGET
  const waiting = [first, ...ALWAYS]
  const seen = new Set(waiting)
  for (let unit = waiting.pop(); unit !== undefined; unit = waiting.pop()) {
    const own = find(unit)
    if (own.kind === 'known' && own.value.kind === 'masked') continue
    const texts = textsOf(place, directories, unit, own)
    if (texts.kind === 'unknown') return texts
    const links = linkedTo(filesOf(place), directories, namesOf(unit, own))
    if (links.kind === 'unknown') return links
    const named = [...dependenciesIn(unit, texts.value), ...triggeredBy(unit, texts.value)]
    for (const { name, at } of named) {
      const other = nameOf(find(name), name)
      if (other !== unit) starts.set(other, [...(starts.get(other) ?? []), { name: unit, ...defined({ at }) }])
    }
    for (const name of [...named.map((each) => each.name), ...links.value]) {
      const other = find(name)
      // systemd does not start a unit that it rejects, but it may start one that is unreadable here.
      if (other.kind === 'unknown' && other.reason !== 'not-observable') return other
      if (other.kind === 'unknown' || other.value.kind !== 'file' || seen.has(other.value.unit)) continue
      seen.add(other.value.unit)
      waiting.push(other.value.unit)
    }
  }
  return known({ starts, reached: seen })
}

function nameOf(found: Reading<FoundUnit>, name: string): string {
  return found.kind === 'known' && found.value.kind !== 'missing' ? found.value.unit : name
}

/** Links of an alias apply to its target. */
function namesOf(unit: string, found: Reading<FoundUnit>): readonly string[] {
  return found.kind === 'known' && found.value.kind === 'file' ? found.value.dropInsOf.flat() : [unit]
}

function textsOf(
  place: SystemdPlace,
  directories: readonly UnitDirectory[],
  unit: string,
  found: Reading<FoundUnit>,
): Reading<readonly UnitText[]> {
  if (found.kind === 'unknown') return found.reason === 'not-observable' ? known([]) : found
  if (found.value.kind === 'file') return readUnitTexts(filesOf(place), directories, found.value)
  return readDropIns(filesOf(place), directories, [[unit]])
}

function linkedTo(
  files: MachineFiles,
  directories: readonly UnitDirectory[],
  units: readonly string[],
): Reading<readonly string[]> {
  const found: string[] = []
  const places = directories.flatMap(({ path, names }) =>
    units
      .flatMap((unit) => LINKS.map((kind) => `${unit}.${kind}`))
      .filter((name) => names.has(name))
      .map((name) => `${path}/${name}`),
  )
  for (const place of places) {
    try {
      found.push(...files.names(place).filter((name) => unitKind(name) !== undefined))
    } catch (error) {
      if (!provesAbsence(error)) return unreadable(error, place)
    }
  }
  return known(found)
}

function dependenciesIn(unit: string, texts: readonly UnitText[]): readonly UnitStart[] {
  return texts.flatMap(({ path, text }) =>
    assignmentsIn(text, 'Unit')
      .filter(({ key }) => STARTING.has(key))
      .flatMap(({ value, line }) =>
        words(value).map((word) => ({ name: expandSpecifiers(word, unit), at: `${path}:${line}` })),
      )
      .filter(({ name }) => unitKind(name) !== undefined),
  )
}

const TRIGGERS: Readonly<Record<string, { readonly section: string; readonly key?: string; readonly starts: string }>> =
  {
    timer: { section: 'Timer', key: 'Unit', starts: 'service' },
    path: { section: 'Path', key: 'Unit', starts: 'service' },
    socket: { section: 'Socket', key: 'Service', starts: 'service' },
    automount: { section: 'Automount', starts: 'mount' },
  }

/** @see systemd.timer(5), systemd.path(5), systemd.socket(5), systemd.automount(5) */
function triggeredBy(unit: string, texts: readonly UnitText[]): readonly UnitStart[] {
  const dot = unit.lastIndexOf('.')
  const trigger = TRIGGERS[unit.slice(dot + 1)]
  if (trigger === undefined) return []
  const { section, key, starts } = trigger
  const said = texts
    .flatMap(({ path, text }) => assignmentsIn(text, section).map((each) => ({ ...each, at: `${path}:${each.line}` })))
    .findLast((each) => each.key === key)
  if (said === undefined || said.value === '') return [{ name: `${unit.slice(0, dot)}.${starts}` }]
  return [{ name: expandSpecifiers(said.value, unit), at: said.at }]
}

/** Splits a list of dependencies, in which quotes are literal. */
function words(value: string): readonly string[] {
  return value.split(/[ \t]+/).filter((word) => word !== '')
}

/** Expands the specifiers for the unit's own name, prefix and instance. @see systemd.unit(5), "SPECIFIERS" */
function expandSpecifiers(word: string, unit: string): string {
  const base = unit.slice(0, unit.lastIndexOf('.'))
  const at = base.indexOf('@')
  const [prefix, instance] = at === -1 ? [base, ''] : [base.slice(0, at), base.slice(at + 1)]
  const values: Readonly<Record<string, string>> = { i: instance, p: prefix, n: unit, N: base, '%': '%' }
  return word.replace(/%(.)/g, (whole, letter: string) => values[letter] ?? whole)
}
