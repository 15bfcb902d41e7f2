import { KERNEL_BUILDS } from '../subject.ts'
import type { ExportsOf } from '../../../model/exported.ts'
import { present, type Seen } from '../../../model/observation.ts'
import { defineExports, defineProperties, defineResource, type ResourceType } from '../../../resource-type/define.ts'
import { alwaysThere } from '../../shared/always-there.ts'
import { decideKernelOption, type KernelOptionState, type KernelOptionDesired, valueOf } from './decide.ts'

const properties = defineProperties({
  name: {
    kind: 'text',
    required: true,
    pattern: { expression: 'CONFIG_[A-Za-z0-9_]+', describes: 'an option, such as "CONFIG_STRICT_KERNEL_RWX"' },
    phase: 'early',
    summary: 'The option, with `CONFIG_` before it.',
  },
  value: {
    kind: 'text',
    required: true,
    nonEmpty: true,
    accepts: 'fields',
    phase: 'early',
    summary:
      '`y`, `m`, a number, a text without its quotes, or `n` (also `not set`) for what is not set or not mentioned. It is compared with what the running kernel was built with (`value`: /proc/config.gz, or else its file in /boot or beside its modules), and with every other kernel that is installed (`installed`). A fix can do nothing about it.',
  },
})

const exports = defineExports({
  value: { kind: 'text', summary: 'Runtime value; undefined if unreadable.' },
})

export const kernelOption: ResourceType = defineResource({
  type: 'kernel_option',
  summary: 'Build options of the running kernel and of all other installed kernels.',
  properties,
  exports,
  drifts: ['value', 'installed'],
  examples: [
    {
      title: 'The kernel has stack protection, strong or regular',
      yaml: `
        kernel_option:
          - CONFIG_STACKPROTECTOR:
              value: y`,
    },
    {
      title: 'Unsigned modules cannot be forced, and addresses below 64 KiB are reserved',
      yaml: `
        kernel_option:
          - CONFIG_MODULE_FORCE_LOAD:
              value: n
          - CONFIG_DEFAULT_MMAP_MIN_ADDR:
              value: { at_least: 65536 }`,
    },
  ],
  providers: [
    {
      name: 'kernel',
      platforms: ['linux'],
      observe: async ({ open }) => {
        const builds = open(KERNEL_BUILDS)
        return present({ running: await builds.running(), installed: await builds.installed() })
      },
      apply: async () => ({ kind: 'failed', message: 'the build options of a kernel cannot be changed' }),
    },
  ],
  decide: (wanted, observed) => decideKernelOption(wanted, alwaysThere(observed)),
  exportsOf: exportsOfKernelOption,
})

function exportsOfKernelOption(
  { name }: Pick<KernelOptionDesired, 'name'>,
  observed: Seen<KernelOptionState>,
): ExportsOf<typeof exports> {
  const { running } = alwaysThere(observed)
  return { value: running.kind === 'known' ? valueOf(running.value, name) : undefined }
}
