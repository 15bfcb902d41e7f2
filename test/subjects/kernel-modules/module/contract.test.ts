import { join } from 'node:path'
import { test } from 'vitest'
import { kernelModule } from '../../../../src/subjects/kernel-modules/module/index.ts'
import { createModuleControl } from '../../../../src/subjects/kernel-modules/live/control.ts'
import { openKernelBuilds } from '../../../../src/subjects/kernel-modules/live/kernel-builds.ts'
import { openKernelModules } from '../../../../src/subjects/kernel-modules/live/modules.ts'
import type { ModulesPlace } from '../../../../src/subjects/kernel-modules/live/place.ts'
import { createLocalRemediator } from '../../../../src/host/live/local-remediator.ts'
import { createLocalTarget } from '../../../../src/host/live/local-target.ts'
import { NO_JOURNAL } from '../../../../src/host/live/journal.ts'
import { type ContractScene, contractTests } from '../../../../src/testing/index.ts'
import { moduleMachine } from '../../../support/module-machine.ts'
import { opening, reading, writing } from '../../../support/opening.ts'
import { WITNESSES } from '../../../../src/settings/witnesses.ts'
import { KERNEL_MODULES, KERNEL_BUILDS } from '../../../../src/subjects/kernel-modules/subject.ts'

function scene(
  told: Pick<ContractScene, 'title' | 'state'>,
  wanted: object,
  files: Record<string, string> = {},
): ContractScene {
  const place = (directory: string): ModulesPlace => ({
    root: directory,
    release: '6.1.0',
    searchPath: `${join(directory, 'bin')}:/usr/bin:/bin`,
  })
  return {
    ...told,
    arrange(directory) {
      moduleMachine(directory, files)
      return { name: 'cramfs', ...wanted }
    },
    target(directory) {
      const machine = createLocalTarget()
      const modules = openKernelModules({
        probe: machine.probe,
        realPath: machine.files.realPath,
        place: place(directory),
      })
      return {
        ...machine,
        open: opening(
          machine,
          reading(KERNEL_MODULES, modules),
          // modprobe of this machine knows nothing of the directory.
          reading(WITNESSES, { ask: () => Promise.resolve(undefined), forget: () => undefined }),
          reading(KERNEL_BUILDS, openKernelBuilds({ root: directory, release: '6.1.0' })),
        ),
        forget() {
          machine.forget()
          modules.forget()
        },
      }
    },
    remediator: (directory) => ({
      ...createLocalRemediator(NO_JOURNAL),
      open: opening(
        createLocalRemediator(NO_JOURNAL),
        writing(KERNEL_MODULES, createModuleControl(NO_JOURNAL, place(directory))),
      ),
    }),
  }
}

const LOADED = 'ext4 100 1 - Live 0x0\ncramfs 100 0 - Live 0x0\n'
const SIGNED = { name: '*', signed: true }
const ENFORCED = 'sys/module/module/parameters/sig_enforce'
const LOCKDOWN = 'sys/kernel/security/lockdown'
const FORBIDDEN = { loaded: false, available: false }

const scenes: readonly ContractScene[] = [
  scene({ title: 'neither loaded nor available', state: 'compliant' }, FORBIDDEN, {
    'etc/modprobe.d/a.conf': 'install cramfs /bin/false\n',
  }),
  scene({ title: 'a module that is nowhere', state: 'compliant' }, { ...FORBIDDEN, name: 'dccp' }),
  scene({ title: 'loaded and available', state: 'fixable' }, FORBIDDEN, { 'proc/modules': LOADED }),
  scene({ title: 'the name with a dash', state: 'fixable' }, { ...FORBIDDEN, name: 'usb-storage' }),
  scene({ title: 'to be loaded', state: 'fixable' }, { loaded: true }),
  scene(
    { title: 'to be loaded again after a fix has blocked it', state: 'fixable' },
    { loaded: true, available: true },
    {
      'etc/modprobe.d/00-driftgate-cramfs.conf':
        '# Written by driftgate: cramfs must not be loaded.\ninstall cramfs /bin/false\nblacklist cramfs\n',
    },
  ),
  scene(
    { title: 'in use', state: 'unfixable' },
    { loaded: false },
    {
      'proc/modules': 'cramfs 100 1 - Live 0x0\n',
    },
  ),
  scene({ title: 'built in', state: 'unfixable' }, { ...FORBIDDEN, name: 'fuse' }),
  scene({ title: 'only signed modules', state: 'compliant' }, SIGNED, { [ENFORCED]: 'Y\n', [LOCKDOWN]: '[none]\n' }),
  scene({ title: 'unsigned modules, too', state: 'unfixable' }, SIGNED, { [ENFORCED]: 'N\n', [LOCKDOWN]: '[none]\n' }),
]

for (const { name, run } of contractTests(kernelModule, { scenes })) test(name, run)
