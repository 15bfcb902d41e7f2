import { absent, type Observation, present } from '../../../model/observation.ts'
import type { Target } from '../../../host/target.ts'
import type { KernelModuleState, KernelModuleDesired } from './decide.ts'
import { recordFiles } from '../../../settings/files.ts'
import { defined } from '../../../model/defined.ts'
import { KERNEL_MODULES } from '../subject.ts'
import { needOf } from './needs.ts'

/** Observes a module without changing the host. A module that does not exist is neither loaded nor available. */
export function observeKernelModule(
  target: Target,
  { name, available }: Pick<KernelModuleDesired, 'name' | 'available'>,
): Observation<KernelModuleState> {
  const status = target.open(KERNEL_MODULES).status(name)
  if (status.kind === 'unknown') return status
  const { presence, place } = status.value
  const isNowhere =
    presence.kind === 'known' &&
    presence.value.kind === 'not-loaded' &&
    place.kind === 'known' &&
    place.value === 'absent'
  if (isNowhere) return absent()
  const need = available === false ? needOf(name, recordFiles(target).files) : undefined
  return present({ ...status.value, ...defined({ need }) })
}
