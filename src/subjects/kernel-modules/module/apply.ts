import type { ApplyOutcome } from '../../../model/decision.ts'
import type { Remediator } from '../../../host/remediator.ts'
import type { KernelModuleAction, KernelModuleDesired } from './decide.ts'
import { KERNEL_MODULES } from '../subject.ts'

/** Does what was decided and nothing else. Failures are values; whether it has helped is found out by the look that follows. */
export function applyKernelModule(
  remediator: Pick<Remediator, 'open'>,
  { name }: Pick<KernelModuleDesired, 'name'>,
  { steps }: KernelModuleAction,
  { signal }: { readonly signal: AbortSignal },
): Promise<ApplyOutcome> {
  return remediator.open(KERNEL_MODULES).change(name, steps, signal)
}
