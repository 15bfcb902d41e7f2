import type { ApplyOutcome } from '../../../model/decision.ts'
import type { Remediator } from '../../../host/remediator.ts'
import type { KernelModuleAction, KernelModuleDesired } from './decide.ts'
import { KERNEL_MODULES } from '../subject.ts'

/** Takes the planned steps only. Failures are values; a later observation checks the result. */
export function applyKernelModule(
  remediator: Pick<Remediator, 'open'>,
  { name }: Pick<KernelModuleDesired, 'name'>,
  { steps }: KernelModuleAction,
  { signal }: { readonly signal: AbortSignal },
): Promise<ApplyOutcome> {
  return remediator.open(KERNEL_MODULES).change(name, steps, signal)
}
