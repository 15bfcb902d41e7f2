import type { Remediator } from '../../../host/remediator.ts'
import type { Target } from '../../../host/target.ts'
import type { Decision, ApplyOutcome } from '../../../model/decision.ts'
import { defined } from '../../../model/defined.ts'
import { unreadable } from '../../../model/differences.ts'
import type { UnknownProperty } from '../../../model/drift.ts'
import type { ExportsOf } from '../../../model/exported.ts'
import { type Observation, present, type Seen, absent, type Reading } from '../../../model/observation.ts'
import type { Captured, ResourceCapture } from '../../../resource-type/capture.ts'
import {
  defineExports,
  defineProperties,
  defineResource,
  type ResourceContext,
  type ResourceType,
} from '../../../resource-type/define.ts'
import { recordFiles } from '../../../settings/files.ts'
import { availabilityOf, isAvailable } from '../module-availability.ts'
import { KERNEL_BUILDS, KERNEL_MODULES } from '../subject.ts'
import {
  decideKernelModule,
  isInKernel,
  type KernelModuleAction,
  type KernelModuleState,
  type KernelModuleDesired,
} from './decide.ts'
import { needOf } from './needs.ts'
import { decideSignatures, type SignatureState } from './signatures.ts'
import { confirmWithModprobe } from './witness.ts'

const EVERY_MODULE = '*'

const properties = defineProperties({
  name: {
    kind: 'text',
    required: true,
    pattern: {
      expression: '[A-Za-z0-9_][A-Za-z0-9_-]*|[*]',
      describes: 'the name of a kernel module, such as "usb-storage", or * for all',
    },
    phase: 'early',
    summary: 'Name of the module, not an alias; `-` and `_` are equivalent. `*` means any module, with `signed`.',
  },
  loaded: {
    kind: 'boolean',
    summary:
      'Whether it is part of the running kernel. A built-in module is, and cannot be unloaded. A fix unloads and blocks a module only if it is not in use.',
  },
  available: {
    kind: 'boolean',
    summary:
      'Whether modprobe can load it later. It cannot if the running kernel has no such module, or if the effective `install` line runs a command that does nothing, such as `/bin/false`; `blacklist` alone blocks only aliases. A module in the boot argument `module_blacklist` is not available, but not blocked permanently either. Copies in an initramfs and modules of other kernels are not checked. A fix writes its own file in /etc/modprobe.d, or removes it.',
  },
  signed: {
    kind: 'boolean',
    summary:
      'For `*`: the running kernel rejects every module without a trusted signature. It does so with `module.sig_enforce`, in lockdown (integrity or confidentiality), if built with CONFIG_MODULE_SIG_FORCE, and if `kernel.modules_disabled` blocks all modules. A fix cannot change it; for the next boot, set `module.sig_enforce` with `boot_argument`.',
  },
})

const exports = defineExports({
  loaded: { kind: 'boolean', summary: 'Whether it is part of the running kernel.' },
  built_in: { kind: 'boolean', summary: 'Whether it is built into the running kernel.' },
  available: {
    kind: 'boolean',
    summary: 'Whether modprobe can load it; omitted if a program other than modprobe decides that.',
  },
})

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

/** Kernel modules: whether they are loaded, and whether they can be loaded. */
export const kernelModule: ResourceType = defineResource({
  type: 'kernel_module',
  summary: 'Kernel modules: whether they are loaded now, and whether modprobe can load them later.',
  properties,
  rules: [
    {
      summary: '`*` takes `signed: true` and nothing else.',
      reads: ['name', 'loaded', 'available', 'signed'],
      at: 'signed',
      check({ name, loaded, available, signed }) {
        if (signed === false) return 'signed must be true: otherwise omit it'
        if (name !== EVERY_MODULE)
          return signed === undefined ? undefined : 'signed applies to all modules: the name must be *'
        if (loaded !== undefined || available !== undefined) return 'for all modules (*), only "signed" can be set'
        return signed === undefined ? 'for all modules (*), "signed" is required' : undefined
      },
    },
    {
      summary: 'Sets `loaded` or `available`; a module that must be loaded must also be available.',
      reads: ['name', 'loaded', 'available'],
      at: 'loaded',
      check({ name, loaded, available }) {
        if (name === EVERY_MODULE) return undefined
        if (loaded === undefined && available === undefined) return 'sets neither "loaded" nor "available"'
        if (loaded !== true || available !== false) return undefined
        return 'a module that must be loaded cannot be one that must not be available'
      },
    },
  ],
  exports,
  drifts: ['loaded', 'available', 'signed'],
  neverSecret: ['loaded', 'available', 'signed'],
  examples: [
    {
      title: 'An unused file system: not loaded and not loadable',
      yaml: `
        kernel_module:
          - cramfs:
              loaded: false
              available: false`,
    },
    {
      title: 'A required module',
      yaml: `
        kernel_module:
          - br_netfilter:
              loaded: true`,
    },
    {
      title: 'Unsigned modules are rejected',
      yaml: `
        kernel_module:
          - "*":
              signed: true`,
    },
  ],
  providers: [{ name: 'kmod', platforms: ['linux'], observe: observeAny, apply: applyKernelModule }],
  decide: decideAny,
  exportsOf: exportsOfKernelModule,
  capture: kernelModuleCapture,
})

type State = KernelModuleState | SignatureState

async function observeAny(
  target: Target,
  wanted: KernelModuleDesired,
  { asksNobody = false }: Pick<ResourceContext, 'asksNobody'>,
): Promise<Observation<State>> {
  if (wanted.name !== EVERY_MODULE) {
    const seen = observeKernelModule(target, wanted)
    return asksNobody ? seen : confirmWithModprobe(target, wanted.name, seen)
  }
  const check = target.open(KERNEL_MODULES).signatures()
  if (check.kind === 'unknown') return check
  return present({ check: check.value, build: await target.open(KERNEL_BUILDS).running() })
}

function decideAny(wanted: KernelModuleDesired, observed: Seen<State>): Decision<KernelModuleAction> {
  if (observed.kind === 'absent') return decideKernelModule(wanted, observed)
  const { state } = observed
  return 'check' in state ? decideSignatures(state) : decideKernelModule(wanted, { ...observed, state })
}

function exportsOfKernelModule(_desired: unknown, observed: Seen<State>): ExportsOf<typeof exports> {
  if (observed.kind === 'absent') return { loaded: false, built_in: false, available: false }
  if ('check' in observed.state) return {}
  const { presence, place, configuration } = observed.state
  const found = availabilityOf(place, configuration)
  return {
    loaded: presence.kind === 'known' ? isInKernel(presence.value) : undefined,
    built_in: presence.kind === 'known' ? presence.value.kind === 'built-in' : undefined,
    available:
      found.kind === 'unknown' || found.value.kind === 'replaced'
        ? undefined
        : found.value.kind === 'loadable' || found.value.kind === 'built-in',
  }
}

/** Observes a module without changing the host. A module that does not exist is neither loaded nor available. */
function observeKernelModule(
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

/** Takes the planned steps only. Failures are values; a later observation checks the result. */
function applyKernelModule(
  remediator: Pick<Remediator, 'open'>,
  { name }: Pick<KernelModuleDesired, 'name'>,
  { steps }: KernelModuleAction,
  { signal }: { readonly signal: AbortSignal },
): Promise<ApplyOutcome> {
  return remediator.open(KERNEL_MODULES).change(name, steps, signal)
}

function availableIn({ place, configuration }: KernelModuleState): Reading<boolean> {
  const found = availabilityOf(place, configuration)
  return found.kind === 'unknown' ? found : isAvailable(found.value, true)
}
