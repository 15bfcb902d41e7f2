import { basename } from 'node:path'
import { known, type Reading } from '../../../core/observation.ts'
import type { ServiceStep } from '../../services.ts'
import { type EnablementStep, linkChanges } from './install-links.ts'
import { linksTo } from './links-to.ts'
import { filesOf, PERSISTENT_DIRECTORY, RUNTIME_DIRECTORY, type SystemdPlace } from './place.ts'

const ENABLEMENT_STEPS: Readonly<Partial<Record<ServiceStep, EnablementStep>>> = {
  enable: 'enable',
  disable: 'disable',
  mask: 'mask',
  unmask: 'unmask',
}

/**
 * The links that systemctl makes or removes when it takes a step: also those that `systemctl link` and `add-wants` made, those of units that
 * `Also=` names, and those that last until the next start. None for a step that changes nothing but what runs.
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
  return known([...new Set([...paths, ...present])])
}
