import { trimBlanksOfC } from '../../../settings/blanks.ts'
import { absent, known, present, unknown } from '../../../model/observation.ts'
import type { ServiceManager } from '../services.ts'
import type { MachineFiles } from '../../../host/live/machine-files.ts'
import { readingOf } from '../../../host/live/machine-reading.ts'
import { once } from '../../../host/once.ts'
import { errorCode } from '../../../host/live/system-error.ts'
import { openUnitFiles, type UnitFile, type UnitFiles } from '../systemd/enablement.ts'
import { type SystemdPlace, THIS_MACHINE } from '../../../host/systemd/place.ts'
import { readPreset } from '../systemd/presets.ts'
import { findStarters } from '../systemd/starters.ts'
import { statusWithoutSystemctl } from '../systemd/without-systemctl.ts'
import { needsRunningSystem } from '../../../host/offline.ts'

const SYSTEMCTL = ['/usr/bin/systemctl', '/bin/systemctl']

function isThere(bulk: MachineFiles, path: string): boolean {
  try {
    return bulk.stat(path) !== undefined
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    return false
  }
}

/** The unit directories that exist before the system boots. */
export function unitsAtRest(files: MachineFiles): SystemdPlace {
  const unitDirectories = THIS_MACHINE.unitDirectories.filter((directory) => !directory.startsWith('/run/'))
  return { ...THIS_MACHINE, files, unitDirectories }
}

/** Reads units from their files alone. Units that exist only at runtime are ignored. */
export function openServicesAtRest(bulk: MachineFiles): ServiceManager & { forget(): void } {
  const place = unitsAtRest(bulk)
  const runtime = needsRunningSystem('the running state of the unit')
  const open = () => ({
    files: openUnitFiles(place),
    hasSystemctl: once(() => SYSTEMCTL.some((path) => isThere(bulk, path))),
  })
  let units = open()
  return {
    announce: () => undefined,
    async status(unit) {
      const unitFiles = place.unitDirectories.map((directory) => `${directory}/${unit}`)
      const places = { unit, unitFiles }
      if (!units.hasSystemctl()) return statusWithoutSystemctl({ units: units.files, machine: bulk }, places)
      const found = units.files.lookUp(unit)
      if (found.kind === 'unknown') return found
      if (found.value === null) return absent(places)
      return present(
        { unit: found.value.unit, runtime, enablement: known(withDoubt(bulk, units.files, found.value)) },
        places,
      )
    },
    companions: async () => known([]),
    starters: async (unit, signal) => findStarters({ place, files: units.files }, unit, signal),
    forget() {
      units = open()
    },
  }
}

function withDoubt(bulk: MachineFiles, files: UnitFiles, unit: UnitFile): UnitFile {
  return unit.state === 'static' || unit.state === 'alias' ? withStartDoubt(files, unit) : withPresetDoubt(bulk, unit)
}

/** A unit without links of its own starts with another unit, but may also be started by udev or D-Bus. */
function withStartDoubt(files: UnitFiles, unit: UnitFile): UnitFile {
  const starts = files.startsAtBoot(unit.unit)
  if (starts.kind === 'unknown') return { ...unit, unsettled: starts }
  if (starts.value) return unit
  const detail = `it is ${unit.state}, and no target, unit, socket or timer of the boot starts it`
  return { ...unit, unsettled: unknown('not-observable', detail) }
}

/** Without a machine-id the next boot is the first boot, which applies the presets. @see machine-id(5) */
function withPresetDoubt(files: MachineFiles, unit: UnitFile): UnitFile {
  if (unit.state !== 'enabled' && unit.state !== 'disabled') return unit
  const reading = readingOf(files)
  const id = reading.readText('/etc/machine-id')
  if (id.kind === 'known' && id.value !== null && trimBlanksOfC(id.value) !== 'uninitialized') return unit
  const preset = id.kind === 'unknown' ? id : readPreset(reading, unit.unit)
  if (preset.kind === 'unknown') return { ...unit, unsettled: preset }
  const { action, place = 'no preset matches it' } = preset.value
  if (action === 'ignore' || `${action}d` === unit.state) return unit
  const detail = `it is ${unit.state}, but the first boot of this system, which has no machine-id yet, may ${action} it by preset (${place})`
  return { ...unit, unsettled: unknown('not-observable', detail) }
}
