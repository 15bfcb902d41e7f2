import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'vitest'
import { bootArgument } from '../../../../src/subjects/boot/argument/index.ts'
import { readGrubSources } from '../../../../src/subjects/boot/settings/sources.ts'
import { recordFiles } from '../../../../src/settings/files.ts'
import { type ContractScene, contractTests } from '../../../../src/testing/index.ts'
import { needsRootToFix, put } from '../../../support/contract.ts'
import { debianWith, grubMenu } from '../../../support/grub-machine.ts'
import { handsIn, machineIn } from '../../../support/setting-machine.ts'
import { BOOT_MENUS } from '../../../../src/subjects/boot/subject.ts'
import { opening, writing } from '../../../support/opening.ts'

function scene(
  told: Pick<ContractScene, 'title' | 'state'>,
  files: Record<string, string>,
  wanted: Readonly<Record<string, unknown>> = { name: 'audit', value: '1' },
): ContractScene {
  return {
    ...told,
    arrange(directory) {
      put(directory, files)
      return wanted
    },
    target: machineIn,
    remediator: (directory) => ({
      ...handsIn(directory),
      open: opening(
        handsIn(directory),
        writing(BOOT_MENUS, {
          // What grub-mkconfig does, which is tested where it runs.
          async generate({ file, judge }) {
            const sources = readGrubSources(recordFiles(machineIn(directory)).files)
            const [normal, recovery] = sources.kind === 'known' ? sources.value : []
            const all = recovery?.commandLine ?? ''
            const text = grubMenu(all, normal?.commandLine.slice(all.length) ?? '')
            const problem = judge(text)
            if (problem !== undefined) return { kind: 'failed', message: problem }
            writeFileSync(join(directory, file), text)
            return { kind: 'done' }
          },
        }),
      ),
    }),
  }
}

const STARTED = { '/proc/cmdline': 'root=UUID=1 ro audit=1 quiet\n' }

const scenes: readonly ContractScene[] = [
  scene({ title: 'everywhere', state: 'compliant' }, debianWith('audit=1')),
  scene({ title: 'in the running kernel alone', state: 'fixable' }, { ...debianWith(''), ...STARTED }),
  scene({ title: 'with another value', state: 'fixable' }, { ...debianWith('audit=0'), ...STARTED }),
  scene(
    { title: 'in an entry of systemd-boot with another value', state: 'fixable' },
    {
      ...STARTED,
      '/boot/loader/entries/a.conf': 'title A\nlinux /v\noptions root=/dev/sda1 audit=0\n',
      '/etc/kernel/cmdline': 'quiet\n',
    },
  ),
  scene(
    { title: 'it must not be there', state: 'fixable' },
    { ...debianWith('audit=0'), '/proc/cmdline': 'ro\n' },
    { name: 'audit', ensure: 'absent' },
  ),
  scene({ title: 'started without it', state: 'unfixable' }, { ...debianWith('audit=1'), '/proc/cmdline': 'ro\n' }),
]

/** Their fixes write files of root. */
const FIXED_AS_ROOT = ['in the running kernel alone', 'with another value']

for (const { name, run } of contractTests(bootArgument, { scenes }))
  test.skipIf(needsRootToFix(name, FIXED_AS_ROOT))(name, run)
