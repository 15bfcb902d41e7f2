import { dirname } from 'node:path'
import type { ApplyOutcome } from '../../../model/decision.ts'
import { known, type Reading } from '../../../model/observation.ts'
import type { ServiceControl, ServiceStep } from '../services.ts'
import { remove, removeEmptyDirectory } from '../../../host/live/remove.ts'
import type { Site } from '../../../host/live/site.ts'
import { type LinkChange, linkChanges } from '../systemd/install-links.ts'
import { PERSISTENT_DIRECTORY, type SystemdPlace, filesOf } from '../../../host/systemd/place.ts'
import { readInitScript } from '../systemd/init-script.ts'
import { writeLink } from '../../../host/live/write-link.ts'

/** Changes the links of units on a system that is not running. */
export function createServiceControlAtRest(place: SystemdPlace, site: Site): ServiceControl {
  return {
    linksAlone: true,
    touches(unit, step) {
      const changes = changesOf(place, unit, step)
      return changes.kind === 'unknown' ? changes : known(changes.value.map(({ path }) => path))
    },
    async change(unit, steps) {
      for (const step of steps) {
        const changes = changesOf(place, unit, step)
        if (changes.kind === 'unknown') return { kind: 'failed', message: `cannot ${step} ${unit}: ${changes.detail}` }
        for (const change of changes.value) {
          const outcome = await carryOut(change, site)
          if (outcome.kind === 'failed') return outcome
        }
      }
      return { kind: 'done' }
    },
  }
}

function changesOf(place: SystemdPlace, unit: string, step: ServiceStep): Reading<readonly LinkChange[]> {
  if (step === 'start' || step === 'stop' || step === 'restart') {
    return { kind: 'unknown', reason: 'not-observable', detail: 'services do not run in a target that is a directory' }
  }
  const changes = linkChanges(place, step, unit)
  if (changes.kind === 'unknown' || changes.value.length > 0 || step !== 'enable') return changes
  const script = readInitScript(filesOf(place), unit)
  if (script.kind === 'unknown' || script.value === null) return script.kind === 'unknown' ? script : changes
  return {
    kind: 'unknown',
    reason: 'not-observable',
    detail: 'its init script links can only be created on the running system',
  }
}

async function carryOut(change: LinkChange, site: Site): Promise<ApplyOutcome> {
  if (change.kind === 'make') return writeLink(change.path, change.target, site)
  const { root } = site
  const removed = await remove(change.path, { recursive: false, root })
  const directory = dirname(change.path)
  // systemctl does not leave empty .wants directories behind either.
  return removed.kind === 'failed' || directory === PERSISTENT_DIRECTORY
    ? removed
    : removeEmptyDirectory(directory, root)
}
