import type { ExportsOf } from '../../core/exported.ts'
import type { Seen } from '../../core/observation.ts'
import { defineExports, defineProperties, defineResource, type ResourceType } from '../../resource-type/define.ts'
import { applyKernelModule } from './apply.ts'
import { availabilityOf } from '../shared/module-availability.ts'
import { kernelModuleCapture } from './capture.ts'
import { decideKernelModule, isInKernel, type KernelModuleState } from './decide.ts'
import { observeKernelModule } from './observe.ts'

/** What a policy may say about a kernel module. */
const properties = defineProperties({
  name: {
    kind: 'text',
    required: true,
    pattern: {
      expression: '[A-Za-z0-9_][A-Za-z0-9_-]*',
      describes: 'the name of a kernel module, such as "usb-storage"',
    },
    phase: 'early',
    summary: 'Name of the module, not one of its aliases; `-` and `_` are the same.',
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
})

/** What later resources can read. */
const exports = defineExports({
  loaded: { kind: 'boolean', summary: 'Whether it is part of the running kernel.' },
  built_in: { kind: 'boolean', summary: 'Whether it is built into the running kernel.' },
  available: {
    kind: 'boolean',
    summary: 'Whether modprobe can load it; not there where something else than modprobe itself would have to say so.',
  },
})

/** Kernel modules: whether they are loaded, and whether they can be. */
export const kernelModule: ResourceType = defineResource({
  type: 'kernel_module',
  summary: 'Kernel modules: whether they are loaded now, and whether modprobe can load them later.',
  properties,
  rules: [
    {
      summary: 'Says `loaded` or `available`; what has to be loaded has to be available, too.',
      reads: ['loaded', 'available'],
      at: 'loaded',
      check({ loaded, available }) {
        if (loaded === undefined && available === undefined) return 'says neither "loaded" nor "available"'
        if (loaded !== true || available !== false) return undefined
        return 'a module that must be loaded cannot be one that must not be available'
      },
    },
  ],
  exports,
  drifts: ['loaded', 'available'],
  neverSecret: ['loaded', 'available'],
  examples: [
    {
      title: 'A file system that nobody needs: not loaded, and never to be',
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
  ],
  providers: [{ name: 'kmod', platforms: ['linux'], observe: observeKernelModule, apply: applyKernelModule }],
  decide: decideKernelModule,
  exportsOf: exportsOfKernelModule,
  capture: kernelModuleCapture,
})

function exportsOfKernelModule(_desired: unknown, observed: Seen<KernelModuleState>): ExportsOf<typeof exports> {
  if (observed.kind === 'absent') return { loaded: false, built_in: false, available: false }
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
