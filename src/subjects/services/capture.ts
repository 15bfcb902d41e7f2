import { unreadable } from '../../model/differences.ts'
import { unknown } from '../../model/observation.ts'
import type { Captured, ResourceCapture } from '../../resource-type/capture.ts'
import { ENABLED, RUNTIME, type ServiceContext, type ServiceState } from './decide.ts'
import type { ServiceOrGroupObserved } from './group.ts'

/** Captures whether a service is running, enabled and masked. */
export const serviceCapture: ResourceCapture<ServiceOrGroupObserved, ServiceContext> = {
  look: { ensure: 'running', enable: true },
  describe(seen, { name }): Captured {
    if (seen.kind === 'absent') return { kind: 'absent', properties: { ensure: 'stopped', enable: false } }
    // A capture observes a single service, never a group.
    const { runtime, enablement } = seen.state as ServiceState
    if (runtime.kind === 'unknown') return runtime
    const runs = RUNTIME[runtime.value.activeState]
    if (runs !== 'running' && runs !== 'stopped') {
      return unknown('not-observable', `${name} has not reached a stable state: it is ${runs}`)
    }
    if (enablement.kind === 'unknown') {
      return { kind: 'present', properties: { ensure: runs }, unread: [unreadable('enable', enablement)] }
    }
    const isMasked = runs === 'stopped' && enablement.value.state === 'masked'
    return {
      kind: 'present',
      properties: { ensure: runs, enable: ENABLED[enablement.value.state], ...(isMasked ? { masked: true } : {}) },
    }
  },
}
