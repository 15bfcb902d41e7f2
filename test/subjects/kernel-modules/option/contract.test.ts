import { test } from 'vitest'
import { kernelOption } from '../../../../src/subjects/kernel-modules/option/index.ts'
import { openKernelBuilds } from '../../../../src/subjects/kernel-modules/live/kernel-builds.ts'
import { createLocalTarget } from '../../../../src/host/live/local-target.ts'
import { type ContractScene, contractTests } from '../../../../src/testing/index.ts'
import { put } from '../../../support/contract.ts'
import { opening, reading } from '../../../support/opening.ts'
import { KERNEL_BUILDS } from '../../../../src/subjects/kernel-modules/subject.ts'

function scene(
  told: Pick<ContractScene, 'title' | 'state'>,
  files: Record<string, string>,
  value: string = 'y',
): ContractScene {
  return {
    ...told,
    arrange(directory) {
      put(directory, files)
      return { name: 'CONFIG_A', value }
    },
    target(directory) {
      const machine = createLocalTarget()
      const kernelBuilds = openKernelBuilds({ root: directory, release: '6.1.0' })
      return {
        ...machine,
        open: opening(machine, reading(KERNEL_BUILDS, kernelBuilds)),
        forget() {
          machine.forget()
          kernelBuilds.forget()
        },
      }
    },
  }
}

const scenes: readonly ContractScene[] = [
  scene({ title: 'built so', state: 'compliant' }, { 'boot/config-6.1.0': 'CONFIG_A=y\n' }),
  scene({ title: 'built otherwise', state: 'unfixable' }, { 'boot/config-6.1.0': 'CONFIG_A=m\n' }),
  scene(
    { title: 'another kernel is built otherwise', state: 'unfixable' },
    { 'boot/config-6.1.0': 'CONFIG_A=y\n', 'boot/vmlinuz-6.2.0': '', 'boot/config-6.2.0': 'CONFIG_B=y\n' },
  ),
  scene({ title: 'not set', state: 'compliant' }, { 'boot/config-6.1.0': 'CONFIG_B=y\n' }, 'n'),
]

for (const { name, run } of contractTests(kernelOption, { scenes })) test(name, run)
