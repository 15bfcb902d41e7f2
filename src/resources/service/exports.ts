import type { ExportsOf } from '../../core/exported.ts'
import type { Observation, Unknown } from '../../core/observation.ts'
import { defineExports, type ResourceStatus } from '../../resource-type/define.ts'
import type { ServiceProperties } from './properties.ts'
import type { ServiceContext, ServiceState } from './state.ts'
import { ENABLED, RUNTIME } from './words.ts'

/** What later resources can read of a service. */
export const serviceExports = defineExports({
  unit: { kind: 'text', summary: 'The full name of its unit; of an alias, that of the unit it stands for.' },
  exists: { kind: 'boolean', summary: 'Whether there is such a unit.' },
  running: { kind: 'boolean', summary: 'Whether it runs.' },
  active: { kind: 'text', summary: 'The state of its unit in the words of systemd: `active`, `failed` and so on.' },
  enabled: {
    kind: 'boolean',
    summary: 'Whether it starts with the system, by itself or because another unit needs it.',
  },
  enablement: { kind: 'text', summary: 'The same in the words of systemd: `enabled`, `static`, `masked` and so on.' },
})

/** The values of a service as its unit was seen. What the service manager did not tell is left out. */
export function exportsOfService(
  _: ServiceProperties,
  observed: Exclude<Observation<ServiceState, ServiceContext>, Unknown>,
): ExportsOf<typeof serviceExports> {
  if (observed.kind === 'absent') {
    return { unit: observed.context.unit, exists: false, running: false, enabled: false }
  }
  const { unit, runtime, enablement } = observed.state
  return {
    unit,
    exists: true,
    ...(runtime.kind === 'unknown'
      ? {}
      : { running: RUNTIME[runtime.value.activeState] === 'running', active: runtime.value.activeState }),
    ...(enablement.kind === 'unknown'
      ? {}
      : { enabled: ENABLED[enablement.value.state], enablement: enablement.value.state }),
  }
}

/** Whether it runs and starts with the system. A unit that does not exist is stopped. */
export const serviceStatus: ResourceStatus<ExportsOf<typeof serviceExports>> = {
  look: { ensure: 'running', enable: true },
  describe({ exists, active, running, enabled }) {
    if (exists === false) return { ensure: 'stopped' }
    if (active === 'activating' || active === 'deactivating') return `has not settled, it is ${active}`
    return { ensure: running === true ? 'running' : 'stopped', enable: enabled }
  },
}
