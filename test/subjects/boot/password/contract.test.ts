import { test } from 'vitest'
import { bootPassword } from '../../../../src/subjects/boot/password/index.ts'
import { type ContractScene, contractTests } from '../../../../src/testing/index.ts'
import { put } from '../../../support/contract.ts'
import { grubMenu } from '../../../support/grub-machine.ts'
import { handsIn, machineIn } from '../../../support/setting-machine.ts'

const HASH = `grub.pbkdf2.sha512.10000.${'AB'.repeat(8)}.${'CD'.repeat(8)}`
const SET = `set superusers="root"\npassword_pbkdf2 root ${HASH}\n`

function scene(told: Pick<ContractScene, 'title' | 'state'>, files: Record<string, string>): ContractScene {
  return {
    ...told,
    arrange(directory) {
      put(directory, files)
      return { name: 'grub' }
    },
    target: machineIn,
    remediator: handsIn,
  }
}

const scenes: readonly ContractScene[] = [
  scene(
    { title: 'set', state: 'compliant' },
    {
      '/boot/grub/grub.cfg': `### BEGIN /etc/grub.d/40_custom ###\n${SET}### END /etc/grub.d/40_custom ###\n${grubMenu('')}`,
      '/etc/grub.d/40_custom': `#!/bin/sh\ncat << EOF\n${SET}EOF\n`,
    },
  ),
  scene({ title: 'not set', state: 'unfixable' }, { '/boot/grub/grub.cfg': grubMenu('') }),
]

for (const { name, run } of contractTests(bootPassword, { scenes })) test(name, run)
