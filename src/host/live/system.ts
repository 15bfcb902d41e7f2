import { hostname, release } from 'node:os'
import { textFromBytes } from '../byte-text.ts'
import type { TargetSystem } from '../target.ts'
import { parseOsRelease } from '../os-release.ts'
import { readWhole } from './read-whole.ts'
import { errorCode } from './system-error.ts'

const LARGEST_FILE_BYTES = 1024 * 1024

// The first existing file is used. @see os-release(5)
const OS_RELEASE_FILES = ['/etc/os-release', '/usr/lib/os-release']
// @see machine-id(5)
const MACHINE_ID_FILES = ['/etc/machine-id', '/var/lib/dbus/machine-id']
// @see random(4)
const BOOT_ID_FILE = '/proc/sys/kernel/random/boot_id'

/** Describes this machine; platform name and release are used if it has no os-release file. */
export function describeSystem(): TargetSystem {
  const fields = parseOsRelease(readFirst(OS_RELEASE_FILES))
  const identity = readFirst(MACHINE_ID_FILES).trim()
  const boot = readFirst([BOOT_ID_FILE]).trim()
  return {
    platform: process.platform,
    hostname: hostname(),
    os: { id: fields.get('ID') ?? process.platform, version: fields.get('VERSION_ID') ?? release() },
    ...(identity === '' ? {} : { identity }),
    ...(boot === '' ? {} : { boot }),
  }
}

function readFirst(files: readonly string[]): string {
  for (const file of files) {
    try {
      return textFromBytes(readWhole(file, LARGEST_FILE_BYTES))
    } catch (error) {
      if (errorCode(error) === undefined) throw error
    }
  }
  return ''
}
