import { expect } from 'vitest'
import type { Rule } from './rule.ts'

const OPTIONS = ['nodev', 'nosuid', 'noexec'] as const

/** A file system of its own for each option, which loses it now and in fstab. */
const own = OPTIONS.map((option): Rule => {
  const path = `/srv/${option.slice(2)}-allowed`
  const lacking: unknown = expect.not.stringContaining(option)
  return {
    type: 'mount',
    name: path,
    properties: { options: { includes: [option] } },
    prepare: `mkdir -p ${path}; echo 'tmpfs ${path} tmpfs mode=0755 0 0' >> /etc/fstab; systemctl daemon-reload; mount ${path}`,
    violation: `sed -i 's/,*${option}//' /etc/fstab; systemctl daemon-reload
      mount -o remount,${option.slice(2)} ${path}`,
    drift: [
      ['options', lacking],
      ['stored_options', lacking],
    ],
  }
})

/** What systemd mounts by itself, with nothing about it in fstab. */
const shared: Rule = {
  type: 'mount',
  name: '/dev/shm',
  properties: { options: { includes: ['nodev', 'nosuid', 'noexec'] } },
  violation: `mount -o remount,exec /dev/shm; sed -i '\\#/dev/shm#d' /etc/fstab; rm -rf /etc/systemd/system/dev-shm.mount*
    systemctl daemon-reload`,
  drift: [
    ['options', expect.not.stringContaining('noexec')],
    ['stored_options', expect.not.stringContaining('noexec')],
  ],
}

/** File systems of their own. */
export const mounts: readonly Rule[] = [...own, shared]
