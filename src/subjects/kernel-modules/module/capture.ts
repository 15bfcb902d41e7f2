import { unreadable } from '../../../model/differences.ts'
import type { Reading } from '../../../model/observation.ts'
import type { UnknownProperty } from '../../../model/drift.ts'
import type { Captured, ResourceCapture } from '../../../resource-type/capture.ts'
import { availabilityOf, isAvailable } from '../module-availability.ts'
import { isInKernel, type KernelModuleState } from './decide.ts'
import { decideSignatures, type SignatureState } from './signatures.ts'

/** Captures whether the module is in the running kernel and whether modprobe can load it. */
export const kernelModuleCapture: ResourceCapture<KernelModuleState | SignatureState, undefined> = {
  look: { loaded: true },
  describe(seen): Captured {
    if (seen.kind === 'absent') return { kind: 'absent', properties: { loaded: false, available: false } }
    if ('check' in seen.state) {
      const { drift, unknown: unread } = decideSignatures(seen.state)
      const isSigned = drift.length === 0 && unread.length === 0
      return { kind: 'present', properties: isSigned ? { signed: true } : {}, unread }
    }
    const { presence, isRefused } = seen.state
    const available = availableIn(seen.state)
    const loaded = presence.kind === 'known' ? { loaded: isInKernel(presence.value) } : {}
    const isThere = available.kind === 'known' && available.value
    // A module that only a boot argument blocks is neither persistently blocked nor loadable.
    const isSaid = available.kind === 'known' && !(isThere && isRefused.kind === 'known' && isRefused.value)
    const unread: UnknownProperty[] = []
    if (presence.kind === 'unknown') unread.push(unreadable('loaded', presence))
    if (available.kind === 'unknown') unread.push(unreadable('available', available))
    return { kind: 'present', properties: { ...loaded, ...(isSaid ? { available: isThere } : {}) }, unread }
  },
}

function availableIn({ place, configuration }: KernelModuleState): Reading<boolean> {
  const found = availabilityOf(place, configuration)
  return found.kind === 'unknown' ? found : isAvailable(found.value, true)
}
