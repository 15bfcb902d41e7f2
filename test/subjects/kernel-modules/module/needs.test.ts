import { expect, test } from 'vitest'
import { recordFiles } from '../../../../src/settings/files.ts'
import { needOf } from '../../../../src/subjects/kernel-modules/module/needs.ts'
import { machineOf } from '../../../support/setting-machine.ts'

// fstab(5), modules-load.d(5), and what a container engine and snapd mount.
test.each([
  ['overlay', {}, undefined],
  ['overlay', { '/usr/bin/podman': '' }, 'a container engine, which is installed, needs it'],
  ['squashfs', { '/usr/bin/podman': '' }, undefined],
  ['squashfs', { '/usr/lib/snapd/snapd': '' }, 'snapd, which is installed, needs it'],
  [
    'squashfs',
    { '/etc/fstab': '# images\n/srv/a.img /a squashfs ro,loop 0 0\n' },
    '/etc/fstab:2 mounts such a file system',
  ],
  ['squashfs', { '/etc/fstab': '#/srv/a.img /a squashfs ro,loop 0 0\n' }, undefined],
  ['udf', { '/etc/fstab': '/dev/sr0\t/media udf,iso9660 noauto 0 0\n' }, '/etc/fstab:1 mounts such a file system'],
  ['freevxfs', { '/etc/fstab': '/dev/sdb /old vxfs ro 0 0\n' }, '/etc/fstab:1 mounts such a file system'],
  ['usb-storage', { '/etc/modules': 'usb_storage\n' }, '/etc/modules:1 loads it at boot'],
  [
    'overlay',
    { '/etc/modules-load.d/k8s.conf': '; for pods\noverlay\n' },
    '/etc/modules-load.d/k8s.conf:2 loads it at boot',
  ],
  ['overlay', { '/etc/modules-load.d/k8s.conf.old': 'overlay\n' }, undefined],
])('%s is needed by %j: %s', (module, files: Record<string, string>, expected) => {
  expect(needOf(module, recordFiles(machineOf(files)).files)).toBe(expected)
})
