import type { ApplyOutcome } from '../../model/decision.ts'
import { filesOf, THIS_MACHINE } from '../../host/systemd/place.ts'
import { type Failed, type Intent, type Keeper, linksOf, systemCommand } from '../../host/keeping.ts'
import type { WritableSubject } from '../../host/remediator.ts'
import type { ReadableSubject } from '../../host/target.ts'
import { createServiceControlAtRest } from './at-rest/service-control.ts'
import { openServicesAtRest, unitsAtRest } from './at-rest/services.ts'
import type { ServiceControl, ServiceManager, ServiceStep } from './services.ts'
import { withOwnPrograms } from './systemd/own-program.ts'
import { createServiceControl } from './systemd/service-control.ts'
import { openServices } from './systemd/service-manager.ts'

/** Units of systemd 252 and init scripts. */
export const SERVICES: ReadableSubject<ServiceManager> & WritableSubject<ServiceControl> = {
  name: 'services',
  read: {
    live: () => withOwnPrograms(openServices(), filesOf(THIS_MACHINE)),
    atRest: ({ bulkFiles, startFiles }) => withOwnPrograms(openServicesAtRest(bulkFiles), startFiles),
    answering: (services, { observe, read }) => ({
      announce: (units) => services.announce(units),
      starters: async (unit, signal) => read('starters', () => services.starters(unit, signal), []),
      companions: async (unit, steps, signal) => read('companions', () => services.companions(unit, steps, signal), []),
      async status(unit, signal) {
        const seen = await services.status(unit, signal)
        // For a missing unit, the manager returns the possible paths of its file.
        const places = seen.kind === 'unknown' ? { unit, unitFiles: [] } : seen.context
        const answer = observe('services', () => (seen.kind === 'unknown' ? seen : { ...seen, context: undefined }))
        return answer.kind === 'unknown' ? answer : { ...answer, context: places }
      },
    }),
  },
  write: {
    live: () => createServiceControl(),
    atRest: (site, files) => createServiceControlAtRest(unitsAtRest(files), site),
    keeping: (services, keeper) => ({
      ...services,
      change: (unit, steps, signal) => changeUnit({ services, keeper }, { unit, steps, signal }),
    }),
  },
}

interface Work {
  readonly services: ServiceControl
  readonly keeper: Keeper
}

interface UnitChange {
  readonly unit: string
  readonly steps: readonly ServiceStep[]
  readonly signal: AbortSignal
}

/**
 * Takes the steps in order, because the links of a step depend on earlier ones. A failed step does not prevent the others.
 */
async function changeUnit(work: Work, change: UnitChange): Promise<ApplyOutcome> {
  const { services, keeper } = work
  const failures: Failed[] = []
  for (const step of change.steps) {
    const intent = await intentOf(step, change, work)
    const outcome = await keeper.keep(intent, () => services.change(change.unit, [step], change.signal))
    if (outcome.kind === 'failed') failures.push(outcome)
  }
  const [first, ...others] = failures
  if (first === undefined || others.length === 0) return first ?? { kind: 'done' }
  const output = failures.map((failure) => failure.output ?? '').join('')
  return { kind: 'failed', message: failures.map(({ message }) => message).join('; '), output }
}

/** Records the links as they are on disk and the running state from the service manager. */
async function intentOf(
  step: ServiceStep,
  { unit, signal }: UnitChange,
  { services, keeper: { target } }: Work,
): Promise<Intent> {
  const touched = services.touches?.(unit, step)
  const links = touched?.kind === 'known' ? linksOf(target, touched.value).things : []
  if (services.linksAlone === true) return { things: links }
  if (step === 'start' || step === 'stop' || step === 'restart') {
    const companions = await target.open(SERVICES).companions(unit, [step], signal)
    const along = companions.kind === 'known' ? companions.value.map((each) => each.unit) : []
    // Undo starts with the last item: the units that the others need start first.
    const things = [...new Set([...along, unit])].map((name) => ({ kind: 'running', name }))
    return step === 'restart' ? { things, again: systemCommand(['systemctl', 'try-restart', '--', unit]) } : { things }
  }
  if (links.length === 0) return { things: [{ kind: 'service', name: unit }] }
  return { things: links, again: systemCommand(['systemctl', 'daemon-reload']) }
}
