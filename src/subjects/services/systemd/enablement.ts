import { basename, dirname } from 'node:path'
import { known, type Reading } from '../../../model/observation.ts'
import type { UnitEnablement, UnitFileState } from '../services.ts'
import { templateOf, unitKind } from '../../../host/systemd/unit-name.ts'
import type { MachineFiles } from '../../../host/live/machine-files.ts'
import { findUnit, type FoundUnit } from '../../../host/systemd/find-unit.ts'
import { type InstallSection, readInstallSection } from './install-section.ts'
import { filesOf, GENERATOR_DIRECTORIES, type SystemdPlace, TRANSIENT_DIRECTORY } from '../../../host/systemd/place.ts'
import { readInitScript } from './init-script.ts'
import { readUnitDirectories, type UnitDirectory } from '../../../host/systemd/unit-directories.ts'
import { once } from '../../../host/once.ts'
import { readUnitTexts } from '../../../host/systemd/unit-texts.ts'
import { type UnitStart, readStartup } from './startup.ts'

/** The enablement of a unit from its files. `unit` is the primary name, also if the lookup used an alias. */
export interface UnitFile extends UnitEnablement {
  readonly unit: string
}

/** The unit files of a host. Each directory is read once. */
export interface UnitFiles {
  /** The state that `systemctl is-enabled` prints for a name; `null` for a unit without a file. */
  lookUp(name: string): Reading<UnitFile | null>
  /** The units that start a unit, by its primary name, at boot. */
  pulledInBy(unit: string): Reading<readonly UnitStart[]>
  /** Whether a unit, by its primary name, is reached from the targets of the boot. */
  startsAtBoot(unit: string): Reading<boolean>
}

/** Opens the unit files of a host. Reads nothing before the first lookup. */
export function openUnitFiles(place: SystemdPlace): UnitFiles {
  const directories = once(() => readUnitDirectories(place))
  const startup = once(() => {
    const read = directories()
    return read.kind === 'unknown' ? read : readStartup(place, read.value)
  })
  return {
    lookUp(name) {
      const read = directories()
      return read.kind === 'unknown' ? read : lookUp(place, read.value, name)
    },
    pulledInBy(unit) {
      const read = startup()
      return read.kind === 'unknown' ? read : known(read.value.starts.get(unit) ?? [])
    },
    startsAtBoot(unit) {
      const read = startup()
      return read.kind === 'unknown' ? read : known(read.value.reached.has(unit))
    },
  }
}

function lookUp(place: SystemdPlace, directories: readonly UnitDirectory[], name: string): Reading<UnitFile | null> {
  const files = filesOf(place)
  if (!isNative(directories, name)) {
    // A unit that a generator created for an init script does not show whether the script is enabled.
    const script = readInitScript(files, name)
    if (script.kind === 'unknown') return script
    if (script.value !== null) return known({ unit: name, ...script.value })
  }
  const found = findUnit(place, directories, name)
  return found.kind === 'unknown' ? found : judge(files, directories, { name, found: found.value })
}

/** Whether the unit or its template has a file that no generator created. */
function isNative(directories: readonly UnitDirectory[], unit: string): boolean {
  const template = templateOf(unit)
  return directories
    .filter(({ path }) => !GENERATOR_DIRECTORIES.includes(path))
    .some(({ names }) => names.has(unit) || (template !== undefined && names.has(template)))
}

function judge(
  files: MachineFiles,
  directories: readonly UnitDirectory[],
  { name, found }: { readonly name: string; readonly found: FoundUnit },
): Reading<UnitFile | null> {
  if (found.kind === 'missing') return known(null)
  const { unit, path } = found
  if (found.kind === 'masked') {
    const state = path.startsWith('/run/') ? 'masked-runtime' : 'masked'
    return known({ unit, state, isInstallable: false })
  }
  const texts = readUnitTexts(files, directories, found)
  if (texts.kind === 'unknown') return texts
  const section = readInstallSection(
    unit,
    texts.value.map(({ text }) => text),
  )
  const { isInstallable } = section
  if (basename(path) !== name && unitKind(unit) !== 'instance') return known({ unit, state: 'alias', isInstallable })
  const state = placeState(dirname(path)) ?? linkState(directories, found, section)
  return known({ unit, state, isInstallable, file: path })
}

function placeState(directory: string): UnitFileState | undefined {
  if (GENERATOR_DIRECTORIES.includes(directory)) return 'generated'
  return directory === TRANSIENT_DIRECTORY ? 'transient' : undefined
}

interface LinkSearch {
  readonly unit: string
  readonly path: string
  readonly counts: (name: string) => boolean
}

/**
 * Links from the [Install] section take precedence; with only other links, the unit is in use without being enabled.
 */
function linkState(
  directories: readonly UnitDirectory[],
  { unit, path }: Extract<FoundUnit, { kind: 'file' }>,
  { aliases, isInstallable, also }: InstallSection,
): UnitFileState {
  const own = searchLinks(directories, { unit, path, counts: (name) => name === unit || aliases.includes(name) })
  if (own !== undefined) return own
  if (searchLinks(directories, { unit, path, counts: () => true }) !== undefined) return 'indirect'
  if (isInstallable) return 'disabled'
  return also.length > 0 ? 'indirect' : 'static'
}

function searchLinks(directories: readonly UnitDirectory[], wanted: LinkSearch): UnitFileState | undefined {
  const { unit, path } = wanted
  const linked = { persistent: false, runtime: false }
  const enabled = { runtime: false, vendor: false }
  // The name of the unit is shadowed below the directory of its file.
  let isHidden = false
  for (const directory of directories) {
    const found = findLink(directory, wanted, isHidden)
    if (found === 'enabling') {
      if (directory.isPersistent) return 'enabled'
      enabled[directory.isRuntime ? 'runtime' : 'vendor'] = true
    } else if (found === 'linking') {
      if (directory.isPersistent) linked.persistent = true
      else if (directory.isRuntime) linked.runtime = true
    }
    isHidden ||= path.startsWith(`${directory.path}/`)
  }
  if (enabled.runtime) return 'enabled-runtime'
  // An instance that the vendor enables is meant to run; a link with a plain name is only an alias.
  if (enabled.vendor && unitKind(unit) === 'instance') return 'static'
  if (linked.persistent) return 'linked'
  return linked.runtime ? 'linked-runtime' : undefined
}

function findLink(
  { dependencies, links }: UnitDirectory,
  { unit, counts }: LinkSearch,
  isHidden: boolean,
): 'enabling' | 'linking' | undefined {
  if (dependencies.has(unit)) return 'enabling'
  let isLinking = false
  for (const { name, target } of links) {
    const hasName = !isHidden && name === unit
    const leadsToIt = basename(target() ?? '') === unit
    if (hasName && leadsToIt) isLinking = true
    else if ((hasName || leadsToIt) && counts(name)) return 'enabling'
  }
  return isLinking ? 'linking' : undefined
}
