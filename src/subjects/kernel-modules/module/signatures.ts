import { type Decision, NO_PLAN } from '../../../model/decision.ts'
import { cannot, unreadable } from '../../../model/differences.ts'
import { known, type Reading } from '../../../model/observation.ts'
import type { KernelBuild } from '../kernel-builds.ts'
import type { SignatureCheck } from '../kernel-modules.ts'

/** How the running kernel treats unsigned modules, with its build options. */
export interface SignatureState {
  readonly check: SignatureCheck
  readonly build: Reading<KernelBuild>
}

const HOW = cannot('fixed at boot: set it for the next boot with a boot_argument resource for module.sig_enforce')

/** Decides whether the running kernel refuses every module without a trusted signature. */
export function decideSignatures({ check, build }: SignatureState): Decision<never> {
  const ensure = { desired: 'present', observed: 'present' }
  const refusal = refusalOf(check, build)
  if (refusal.kind === 'unknown') {
    return { ensure, drift: [], unknown: [unreadable('signed', refusal)], plan: NO_PLAN }
  }
  if (refusal.value !== null) return { ensure, drift: [], unknown: [], plan: NO_PLAN, messages: [refusal.value] }
  const note = 'module.sig_enforce is off, and the kernel is not locked down'
  return {
    ensure,
    drift: [{ property: 'signed', desired: true, observed: false, note }],
    unknown: [],
    plan: { kind: 'refuse', obstacles: [HOW] },
  }
}

/**
 * The reason that the kernel refuses them; `null` without one. One reason suffices. @see module_sig_check in the kernel
 */
function refusalOf(
  { isEnforced, lockdown, isLocked }: SignatureCheck,
  build: Reading<KernelBuild>,
): Reading<string | null> {
  if (isLocked.kind === 'known' && isLocked.value) return known('kernel.modules_disabled is 1: no modules are accepted')
  if (isEnforced.kind === 'known' && isEnforced.value === true) return known('module.sig_enforce is on')
  if (lockdown.kind === 'known' && lockdown.value !== null && lockdown.value !== 'none') {
    return known(`the kernel is locked down (${lockdown.value})`)
  }
  if (isEnforced.kind === 'unknown') return isEnforced
  if (isEnforced.value === null) return refusalByBuild(build)
  if (lockdown.kind === 'unknown' && !isBuiltWithout(build, 'CONFIG_SECURITY_LOCKDOWN_LSM')) return lockdown
  return isLocked.kind === 'unknown' ? isLocked : known(null)
}

/** A kernel without the parameter has no modules, enforces signatures by its build, or does not check them. */
function refusalByBuild(build: Reading<KernelBuild>): Reading<string | null> {
  if (build.kind === 'unknown') return build
  const { options, file } = build.value
  if (options.get('CONFIG_MODULE_SIG_FORCE') === 'y') return known(`CONFIG_MODULE_SIG_FORCE=y in ${file}`)
  return known(options.get('CONFIG_MODULES') === 'y' ? null : `no CONFIG_MODULES in ${file}: no modules are accepted`)
}

function isBuiltWithout(build: Reading<KernelBuild>, option: string): boolean {
  return build.kind === 'known' && build.value.options.get(option) !== 'y'
}
