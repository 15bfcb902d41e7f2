import { defined } from '../../../model/defined.ts'
import { known, type Reading } from '../../../model/observation.ts'
import type { UnitStarter } from '../services.ts'
import type { MachineFiles } from '../../../host/live/machine-files.ts'
import { provesAbsence, unreadable } from '../../../host/live/system-error.ts'
import type { UnitFiles } from './enablement.ts'
import { filesOf, type SystemdPlace } from '../../../host/systemd/place.ts'
import type { Runtime } from './runtime.ts'
import { runProgram, unansweredQuery } from '../../../host/systemd/systemctl.ts'
import { assignmentsIn } from '../../../host/systemd/unit-syntax.ts'

/** The triggers of a unit that the service manager has loaded. */
interface Triggers {
  /** Sockets, timers, paths and automounts. */
  readonly units: readonly string[]
  /** Its name on the message bus; empty if missing. */
  readonly busName: string
}

const NO_TRIGGERS: Triggers = { units: [], busName: '' }

/** Queries all units announced so far in one call. */
export interface TriggerReader {
  read(unit: string, signal: AbortSignal): Promise<Reading<Triggers>>
}

const QUERY_TIMEOUT_MS = 30_000
const MAX_ANSWER_BYTES = 16 * 1024 * 1024
const MOST_UNITS_PER_QUERY = 2_000

/** Opens the triggers of the running systemd. `announced` returns the units to query. */
export function openTriggers(announced: () => readonly string[]): TriggerReader {
  const found = new Map<string, Triggers>()
  const asked = new Set<string>()
  return {
    async read(unit, signal) {
      if (!found.has(unit)) {
        const names = [unit, ...announced().filter((name) => name !== unit && !asked.has(name))]
        for (const name of names.slice(0, MOST_UNITS_PER_QUERY)) asked.add(name)
        const argv = ['systemctl', 'show', '--no-pager', '--property=Names,TriggeredBy,BusName', '--'] as const
        const limits = { timeoutMs: QUERY_TIMEOUT_MS, maxOutputBytes: MAX_ANSWER_BYTES, signal }
        const outcome = await runProgram([...argv, ...names.slice(0, MOST_UNITS_PER_QUERY)], limits)
        if (outcome.kind === 'exited')
          for (const [name, triggers] of parseTriggers(outcome.stdout)) found.set(name, triggers)
        if (!found.has(unit)) return unansweredQuery(`systemctl show ${unit}`, outcome)
      }
      return known(found.get(unit) ?? NO_TRIGGERS)
    },
  }
}

/** Parses blocks of properties, separated by empty lines, into a map by each name of a unit. */
export function parseTriggers(output: string): ReadonlyMap<string, Triggers> {
  const blocks = output.split(/\n{2,}/).map((block) => new Map(block.split('\n').map(keyAndValue)))
  return new Map(
    blocks.flatMap((properties) => {
      const triggers = { units: wordsIn(properties.get('TriggeredBy')), busName: properties.get('BusName') ?? '' }
      return wordsIn(properties.get('Names')).map((name) => [name, triggers] as const)
    }),
  )
}

function keyAndValue(line: string): readonly [string, string] {
  const at = line.indexOf('=')
  return at === -1 ? ['', line] : [line.slice(0, at), line.slice(at + 1)]
}

function wordsIn(text = ''): readonly string[] {
  return text.split(' ').filter((word) => word !== '')
}

export interface StarterSources {
  readonly place: SystemdPlace
  readonly files: UnitFiles
  /** Absent if systemd is not running. */
  readonly running?: { readonly runtime: Runtime; readonly triggers: TriggerReader }
}

/**
 * Finds everything that starts a unit: its triggers in systemd, units of the same name that would trigger it after the
 * next boot, and D-Bus activation.
 */
export async function findStarters(
  sources: StarterSources,
  unit: string,
  signal: AbortSignal,
): Promise<Reading<readonly UnitStarter[]>> {
  const triggers = (await sources.running?.triggers.read(unit, signal)) ?? known(NO_TRIGGERS)
  if (triggers.kind === 'unknown') return triggers
  const { units, busName } = triggers.value
  const starters: UnitStarter[] = []
  for (const name of new Set([...units, ...namesakeUnits(unit)])) {
    const starter = await lookAt(sources, name, { signal, isTrigger: units.includes(name) })
    if (starter.kind === 'unknown') return starter
    if (starter.value !== undefined) starters.push(starter.value)
  }
  const pulled = sources.files.pulledInBy(unit)
  if (pulled.kind === 'unknown') return pulled
  for (const { name, at } of pulled.value) {
    if (starters.some((each) => each.name === name)) continue
    const file = sources.files.lookUp(name)
    if (file.kind === 'unknown') return file
    // An enabled unit that only triggers this one can be disabled; any other unit merely depends on it.
    const kind =
      /\.(?:timer|socket|path|automount)$/.test(name) && file.value?.state === 'enabled' ? 'unit' : 'dependency'
    starters.push({ name, kind, isActive: false, isEnabled: true, ...defined({ at }) })
  }
  const bus = isOnBus(sources, unit, busName)
  if (bus.kind === 'unknown') return bus
  return known(
    bus.value ? [...starters, { name: busName, kind: 'bus-name', isActive: true, isEnabled: true }] : starters,
  )
}

/** Units that trigger the service of the same name by default. @see systemd.socket(5) */
function namesakeUnits(unit: string): readonly string[] {
  if (!unit.endsWith('.service')) return []
  const name = unit.slice(0, -'.service'.length)
  return name.includes('@') ? [] : ['socket', 'timer', 'path'].map((type) => `${name}.${type}`)
}

async function lookAt(
  { files, running }: StarterSources,
  name: string,
  { signal, isTrigger }: { readonly signal: AbortSignal; readonly isTrigger: boolean },
): Promise<Reading<UnitStarter | undefined>> {
  const file = files.lookUp(name)
  if (file.kind === 'unknown') return file
  // A file of that name may trigger another unit; systemd would know the trigger.
  if (!isTrigger && file.value === null) return known(undefined)
  const shown = isTrigger && running !== undefined ? await running.runtime.look(name, signal) : undefined
  if (shown?.kind === 'unknown') return shown
  const isEnabled = file.value?.state === 'enabled' || file.value?.state === 'enabled-runtime'
  const isActive = shown !== undefined && shown.value.runtime.activeState === 'active'
  return known(isActive || isEnabled ? { name, kind: 'unit', isActive, isEnabled } : undefined)
}

const BUS_DIRECTORIES = ['/etc', '/usr/local/share', '/usr/share', '/lib'].map((at) => `${at}/dbus-1/system-services`)

/**
 * Whether D-Bus activates the unit: the service file of the bus name names it, and the unit exists. @see dbus-daemon(1)
 */
function isOnBus({ place, files }: StarterSources, unit: string, busName: string): Reading<boolean> {
  if (!/^[A-Za-z0-9_.-]+$/.test(busName)) return known(false)
  for (const directory of BUS_DIRECTORIES) {
    const path = `${directory}/${busName}.service`
    const text = readText(filesOf(place), path)
    if (text.kind === 'unknown') return text
    if (text.value === undefined) continue
    const said = assignmentsIn(text.value, 'D-BUS Service').find(({ key }) => key === 'SystemdService')
    if (said === undefined) return known(false)
    const file = files.lookUp(said.value)
    return file.kind === 'unknown' ? file : known(file.value?.unit === unit)
  }
  return known(false)
}

function readText(files: MachineFiles, path: string): Reading<string | undefined> {
  try {
    return known(files.whole(path, MAX_ANSWER_BYTES).toString('utf8'))
  } catch (error) {
    return provesAbsence(error) ? known(undefined) : unreadable(error, path)
  }
}
