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

/** Another unit that is started, or that starts it. */
export interface UnitStart {
  readonly name: string
  /** The line that says so; absent where the type of a unit alone does, as with a timer. */
  readonly at?: string
}

/** By the name of each unit: what starts it when the system starts, links in `.wants` and the like apart. */
export type Startup = ReadonlyMap<string, readonly UnitStart[]>

/** Every start of a system leads through these, also where the target that it ends in has another name. */
const ALWAYS = ['sysinit', 'basic', 'sockets', 'timers', 'paths'].map((name) => `${name}.target`)
const DEFAULT_TARGET = 'default.target'
const USUAL_TARGET = 'multi-user.target'

const STARTING = new Set(['Wants', 'Requires', 'BindsTo', 'Upholds'])
const LINKS = ['wants', 'requires', 'upholds']

/**
 * Follows what the default target starts, from unit to unit, through dependencies, links, timers, sockets and paths. Conditions do not
 * count, because what a unit needs is started before they are looked at. @see systemd.unit(5), bootup(7)
 */
export function readStartup(place: SystemdPlace, directories: readonly UnitDirectory[]): Reading<Startup> {
  const startup = new Map<string, UnitStart[]>()
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
      if (other !== unit) startup.set(other, [...(startup.get(other) ?? []), { name: unit, ...defined({ at }) }])
    }
    for (const name of [...named.map((each) => each.name), ...links.value]) {
      const other = find(name)
      // What systemd refuses is not started; what cannot be read may be.
      if (other.kind === 'unknown' && other.reason !== 'not-observable') return other
      if (other.kind === 'unknown' || other.value.kind !== 'file' || seen.has(other.value.unit)) continue
      seen.add(other.value.unit)
      waiting.push(other.value.unit)
    }
  }
  return known(startup)
}

function nameOf(found: Reading<FoundUnit>, name: string): string {
  return found.kind === 'known' && found.value.kind !== 'missing' ? found.value.unit : name
}

/** Links of an alias count for what it stands for. */
function namesOf(unit: string, found: Reading<FoundUnit>): readonly string[] {
  return found.kind === 'known' && found.value.kind === 'file' ? found.value.dropInsOf : [unit]
}

function textsOf(
  place: SystemdPlace,
  directories: readonly UnitDirectory[],
  unit: string,
  found: Reading<FoundUnit>,
): Reading<readonly UnitText[]> {
  if (found.kind === 'unknown') return found.reason === 'not-observable' ? known([]) : found
  if (found.value.kind === 'file') return readUnitTexts(filesOf(place), directories, found.value)
  return readDropIns(filesOf(place), directories, [unit])
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
        words(value).map((word) => ({ name: specified(word, unit), at: `${path}:${line}` })),
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
  return [{ name: specified(said.value, unit), at: said.at }]
}

/** Of dependencies, in which quotes are a part of the word. */
function words(value: string): readonly string[] {
  return value.split(/[ \t]+/).filter((word) => word !== '')
}

/** With the specifiers that name units of the same name or instance. @see systemd.unit(5), "SPECIFIERS" */
function specified(word: string, unit: string): string {
  const base = unit.slice(0, unit.lastIndexOf('.'))
  const at = base.indexOf('@')
  const [prefix, instance] = at === -1 ? [base, ''] : [base.slice(0, at), base.slice(at + 1)]
  const values: Readonly<Record<string, string>> = { i: instance, p: prefix, n: unit, N: base, '%': '%' }
  return word.replace(/%(.)/g, (whole, letter: string) => values[letter] ?? whole)
}
