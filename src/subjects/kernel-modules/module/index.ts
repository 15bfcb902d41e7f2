import type { Decision } from '../../../model/decision.ts'
import type { ExportsOf } from '../../../model/exported.ts'
import { type Observation, present, type Seen } from '../../../model/observation.ts'
import { defineExports, defineProperties, defineResource, type ResourceType } from '../../../resource-type/define.ts'
import { applyKernelModule } from './apply.ts'
import { availabilityOf } from '../../shared/module-availability.ts'
import { kernelModuleCapture } from './capture.ts'
import {
  decideKernelModule,
  isInKernel,
  type KernelModuleAction,
  type KernelModuleState,
  type KernelModuleDesired,
} from './decide.ts'
import { observeKernelModule } from './observe.ts'
import { decideSignatures, type SignatureState } from './signatures.ts'
import type { Target } from '../../../host/target.ts'
import { KERNEL_BUILDS, KERNEL_MODULES } from '../subject.ts'

const EVERY_MODULE = '*'

const properties = defineProperties({
  name: {
    kind: 'text',
    required: true,
    pattern: {
      expression: '[A-Za-z0-9_][A-Za-z0-9_-]*|[*]',
      describes: 'the name of a kernel module, such as "usb-storage", or * for whichever',
    },
    phase: 'early',
    summary:
      'Name of the module, not one of its aliases; `-` and `_` are the same. `*` is whichever module, of which `signed` is said.',
  },
  loaded: {
    kind: 'boolean',
    summary:
      'Whether it is part of the running kernel. What is built in is, and cannot be unloaded. A fix unloads what nothing uses.',
  },
  available: {
    kind: 'boolean',
    summary:
      'Whether modprobe can load it later. It cannot where the running kernel has no such module, or where the `install` line that counts runs a program that does nothing, such as `/bin/false`; `blacklist` alone stops aliases only. What the boot argument `module_blacklist` refuses is not available, and not for that kept out for good. Copies in an initramfs and other kernels are not looked at. A fix writes a file of its own in /etc/modprobe.d, or removes that.',
  },
  signed: {
    kind: 'boolean',
    summary:
      'Of `*`: that the running kernel refuses every module without a signature that it trusts. It does with `module.sig_enforce`, locked down (integrity or confidentiality), built with CONFIG_MODULE_SIG_FORCE, and where `kernel.modules_disabled` lets it take none at all. A fix cannot change it; for the next start it is an argument, `module.sig_enforce` of `boot_argument`.',
  },
})

const exports = defineExports({
  loaded: { kind: 'boolean', summary: 'Whether it is part of the running kernel.' },
  built_in: { kind: 'boolean', summary: 'Whether it is built into the running kernel.' },
  available: {
    kind: 'boolean',
    summary: 'Whether modprobe can load it; not there where something else than modprobe itself would have to say so.',
  },
})

/** Kernel modules: whether they are loaded, and whether they can be loaded. */
export const kernelModule: ResourceType = defineResource({
  type: 'kernel_module',
  summary: 'Kernel modules: whether they are loaded now, and whether modprobe can load them later.',
  properties,
  rules: [
    {
      summary: '`signed: true` is said of `*`, and nothing else is.',
      reads: ['name', 'loaded', 'available', 'signed'],
      at: 'signed',
      check({ name, loaded, available, signed }) {
        if (signed === false) return 'signed must be true, or not be there'
        if (name !== EVERY_MODULE)
          return signed === undefined ? undefined : 'signed is of whichever module: the name is *'
        if (loaded !== undefined || available !== undefined) return 'of whichever module (*) only "signed" can be said'
        return signed === undefined ? 'of whichever module (*) "signed" has to be said' : undefined
      },
    },
    {
      summary: 'Says `loaded` or `available`; what has to be loaded has to be available, too.',
      reads: ['name', 'loaded', 'available'],
      at: 'loaded',
      check({ name, loaded, available }) {
        if (name === EVERY_MODULE) return undefined
        if (loaded === undefined && available === undefined) return 'says neither "loaded" nor "available"'
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
      title: 'A module that has to be there',
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

async function observeAny(target: Target, wanted: KernelModuleDesired): Promise<Observation<State>> {
  if (wanted.name !== EVERY_MODULE) return observeKernelModule(target, wanted)
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
