import { basename } from 'node:path'
import { known, type Reading } from '../../../model/observation.ts'
import type { ServiceStep } from '../services.ts'
import type { MachineFiles } from '../../../host/live/machine-files.ts'
import { provesAbsence } from '../../../host/live/system-error.ts'
import { type EnablementStep, linkChanges } from './install-links.ts'
import { linksTo } from './links-to.ts'
import { filesOf, PERSISTENT_DIRECTORY, RUNTIME_DIRECTORY, type SystemdPlace } from '../../../host/systemd/place.ts'

const ENABLEMENT_STEPS: Readonly<Partial<Record<ServiceStep, EnablementStep>>> = {
  enable: 'enable',
  disable: 'disable',
  mask: 'mask',
  unmask: 'unmask',
}

/**
 * The links that a step of systemctl creates or removes, including those from `systemctl link` and `add-wants`, those of
 * `Also=` units, and runtime links. Empty for a step that only affects the running unit.
 */
export function touchedLinks(place: SystemdPlace, unit: string, step: ServiceStep): Reading<readonly string[]> {
  const enablement = ENABLEMENT_STEPS[step]
  if (enablement === undefined) return known([])
  const changes = linkChanges(place, enablement, unit)
  if (changes.kind === 'unknown') return changes
  const paths = changes.value.map(({ path }) => path)
  const names = new Set([unit, ...paths.map((path) => basename(path))])
  const present = [PERSISTENT_DIRECTORY, RUNTIME_DIRECTORY].flatMap((directory) =>
    linksTo(filesOf(place), new Set(names), directory),
  )
  return known([...new Set([...paths, ...present, ...runlevelLinks(filesOf(place), unit)])])
}

/**
 * For a unit with an init script, systemctl also runs update-rc.d, which renames the runlevel links: S01cron becomes
 * K01cron.
 */
function runlevelLinks(files: MachineFiles, unit: string): readonly string[] {
  const script = unit.replace(/\.service$/, '')
  return RUNLEVELS.flatMap((level) => {
    const directory = `/etc/rc${level}.d`
    const numbers = entriesOf(files, directory).flatMap(({ name }) =>
      /^[SK]\d\d/.test(name) && name.slice(3) === script ? [name.slice(1, 3)] : [],
    )
    return [...new Set(numbers)].flatMap((number) => ['S', 'K'].map((kind) => `${directory}/${kind}${number}${script}`))
  })
}

const RUNLEVELS = ['0', '1', '2', '3', '4', '5', '6', 'S']

function entriesOf(files: MachineFiles, directory: string): ReturnType<MachineFiles['entries']> {
  try {
    return files.entries(directory)
  } catch (error) {
    if (provesAbsence(error)) return []
    throw error
  }
}
