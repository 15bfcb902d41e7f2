import { lstatSync } from 'node:fs'
import { absent, known, type Observation, present, type Reading, unknown } from '../../../model/observation.ts'
import {
  type CompanionUnit,
  type ServiceManager,
  type ServiceStatus,
  UNIT_FILE_STATES,
  type UnitEnablement,
  type UnitPlaces,
} from '../services.ts'
import { templateOf } from '../../../host/systemd/unit-name.ts'
import { errorCode } from '../../../host/live/system-error.ts'
import { findCompanions } from './companions.ts'
import { openUnitFiles, type UnitFile, type UnitFiles } from './enablement.ts'
import { filesOf, GENERATOR_DIRECTORIES, type SystemdPlace, THIS_MACHINE } from '../../../host/systemd/place.ts'
import { openRuntime } from './runtime.ts'
import type { ShownUnit } from './show.ts'
import { findStarters, openTriggers } from './starters.ts'
import { hasSystemctl } from '../../../host/systemd/systemctl.ts'
import { statusWithoutSystemctl } from './without-systemctl.ts'

/** The services of this machine, with a method that drops the cache. */
export interface LocalServices extends ServiceManager {
  forget(): void
}

type Status = Observation<ServiceStatus, UnitPlaces>

/**
 * Opens the services of this machine. The runtime state comes from the running systemd, the enablement from the unit
 * files: systemd's cached state may be older than the files, and an audit does not reload systemd.
 */
export function openServices(place: SystemdPlace = THIS_MACHINE): LocalServices {
  const runtime = openRuntime()
  let files = openUnitFiles(place)
  let triggers = openTriggers(() => runtime.announced())
  return {
    announce: (units) => runtime.announce(units),
    async status(unit, signal) {
      const places = { unit, unitFiles: unitFilePaths(place, unit) }
      if (!hasSystemctl()) return statusWithoutSystemctl({ units: files, machine: filesOf(place) }, places)
      if (!isRunning(place)) return statusOfFile(files, places)
      const shown = await runtime.look(unit, signal)
      return shown.kind === 'unknown' ? statusOfFile(files, places, shown) : statusOfUnit(files, places, shown.value)
    },
    starters(unit, signal) {
      const sources = { place, files }
      return findStarters(isRunning(place) ? { ...sources, running: { runtime, triggers } } : sources, unit, signal)
    },
    async companions(unit, steps, signal) {
      if (!isRunning(place)) return known([])
      const found = await findCompanions(place, { unit, steps }, signal)
      if (found.kind === 'unknown') return found
      // Drops companions that are already enabled.
      return known(found.value.filter(({ unit: name, step }) => !isEnabledAs(files.lookUp(name), step)))
    },
    forget() {
      runtime.forget()
      files = openUnitFiles(place)
      triggers = openTriggers(() => runtime.announced())
    },
  }
}

/** Whether systemd runs on this machine. @see sd_booted(3) */
export function isRunning({ root, runtimeMarker }: SystemdPlace): boolean {
  try {
    return lstatSync(`${root}${runtimeMarker}`).isDirectory()
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    return false
  }
}

/** Whether enabling or disabling the unit would change nothing. */
function isEnabledAs(file: Reading<UnitFile | null>, step: CompanionUnit['step']): boolean {
  if (step !== 'enable' && step !== 'disable') return false
  const isEnabled = file.kind === 'known' && file.value?.state === 'enabled'
  return isEnabled === (step === 'enable')
}

const NOT_RUNNING = unknown('not-observable', 'systemd is not running, so the state of the unit is unknown')

/** Without an answer from systemd, only the files are known; a unit without a file may still be loaded. */
function statusOfFile(files: UnitFiles, places: UnitPlaces, runtime = NOT_RUNNING): Status {
  const file = lookUp(files, places.unit)
  if (file.kind === 'unknown') return file
  if (file.value !== null) return present({ unit: file.value.unit, runtime, enablement: known(file.value) }, places)
  return runtime === NOT_RUNNING ? absent(places) : runtime
}

function statusOfUnit(files: UnitFiles, places: UnitPlaces, shown: ShownUnit): Status {
  const { unit, runtime } = shown
  const file = lookUp(files, unit)
  const isLoaded = runtime.loadState !== 'not-found' || !DOWN.has(runtime.activeState)
  if (!isLoaded && file.kind === 'known' && file.value === null) return absent(places)
  return present({ unit, runtime: known(runtime), enablement: enablementOf(file, shown) }, places)
}

const DOWN: ReadonlySet<string> = new Set(['inactive', 'failed'])

/** The files take precedence; if they are missing or unreadable, the state that systemd loaded is used. */
function enablementOf(file: Reading<UnitFile | null>, { unit, unitFileState }: ShownUnit): Reading<UnitEnablement> {
  if (file.kind === 'known' && file.value !== null) return known(file.value)
  const state = UNIT_FILE_STATES.find((name) => name === unitFileState)
  if (state !== undefined) return known({ state, isInstallable: state === 'enabled' || state === 'disabled' })
  return file.kind === 'unknown' ? file : unknown('not-observable', `${unit} has no unit file`)
}

/** Looks up a unit in the files; an alias resolves to its target. */
function lookUp(files: UnitFiles, unit: string): Reading<UnitFile | null> {
  const found = files.lookUp(unit)
  const isAlias = found.kind === 'known' && found.value?.state === 'alias' && found.value.unit !== unit
  return isAlias ? files.lookUp(found.value.unit) : found
}

/** The paths at which administrators and packages install the unit file. */
function unitFilePaths({ unitDirectories }: SystemdPlace, unit: string): readonly string[] {
  const template = templateOf(unit)
  const names = template === undefined ? [unit] : [unit, template]
  return unitDirectories
    .filter((directory) => !GENERATOR_DIRECTORIES.includes(directory))
    .flatMap((directory) => names.map((name) => `${directory}/${name}`))
}
