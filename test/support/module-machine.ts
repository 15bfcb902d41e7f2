import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { put } from './contract.ts'

/**
 * Lays the files of a machine below a directory: a kernel with the modules ext4 (loaded), cramfs and usb-storage, with fuse
 * built in, and a modprobe and an rmmod that change its list of modules. Like the real ones, they know no dashes there.
 */
export function moduleMachine(directory: string, files: Readonly<Record<string, string>> = {}): void {
  const list = join(directory, 'proc/modules')
  put(directory, {
    'lib/modules/6.1.0/modules.dep':
      'kernel/fs/ext4/ext4.ko.xz: kernel/lib/crc16.ko\nkernel/fs/cramfs/cramfs.ko:\nkernel/drivers/usb/storage/usb-storage.ko.zst:\n',
    'lib/modules/6.1.0/modules.builtin': 'kernel/fs/fuse/fuse.ko\n',
    'lib/modules/6.1.0/modules.alias': '# Aliases\nalias fs-cramfs cramfs\nalias usb:v03EEp* usb_storage\n',
    'proc/modules': 'ext4 100 1 - Live 0x0\n',
    'proc/cmdline': 'BOOT_IMAGE=/vmlinuz ro quiet\n',
    'proc/sys/kernel/modules_disabled': '0\n',
    'sys/module/ext4/initstate': 'live\n',
    'bin/modprobe': `#!/bin/sh\necho "$1 100 0 - Live 0x0" >> '${list}'\n`,
    'bin/rmmod': `#!/bin/sh\nsed -i "/^$1 /d" '${list}'\n`,
    ...files,
  })
  chmodSync(join(directory, 'bin/modprobe'), 0o755)
  chmodSync(join(directory, 'bin/rmmod'), 0o755)
}
