import { statfsSync } from 'node:fs'
import { machine, networkInterfaces } from 'node:os'
import { textFromBytes } from '../byte-text.ts'
import { known, type Reading } from '../../model/observation.ts'
import type { FilesystemUsage, InterfaceAddress, SystemProbe } from '../probe.ts'
import { answeringPath } from './hanging.ts'
import { listNames } from './list-directory.ts'
import { readWhole } from './read-whole.ts'
import { provesAbsence, unreadable } from './system-error.ts'

// Some files in /proc grow with the machine: for a thousand processors, to a megabyte.
const LARGEST_TEXT_BYTES = 16 * 1024 * 1024

/** Reads facts of the machine that this process runs on. */
export function createLocalProbe(): SystemProbe {
  return { readText, list, filesystemUsage, addresses, machine: machine() }
}

function readText(path: string): Reading<string | null> {
  try {
    return known(textFromBytes(readWhole(path, LARGEST_TEXT_BYTES)))
  } catch (error) {
    return provesAbsence(error) ? known(null) : unreadable(error, path)
  }
}

function list(path: string): Reading<readonly string[] | null> {
  try {
    return known(listNames(path).toSorted())
  } catch (error) {
    return provesAbsence(error) ? known(null) : unreadable(error, path)
  }
}

function filesystemUsage(path: string): Reading<FilesystemUsage> {
  try {
    const { bsize, blocks, bfree, bavail, files, ffree } = statfsSync(answeringPath(path), { bigint: true })
    return known({
      totalBytes: blocks * bsize,
      freeBytes: bfree * bsize,
      availableBytes: bavail * bsize,
      inodes: files,
      freeInodes: ffree,
    })
  } catch (error) {
    return unreadable(error, path)
  }
}

function addresses(): readonly InterfaceAddress[] {
  return Object.entries(networkInterfaces()).flatMap(([interfaceName, entries]) =>
    (entries ?? []).map(({ address, cidr, family, internal }) => ({
      interfaceName,
      address,
      cidr: cidr ?? address,
      version: family === 'IPv6' ? (6 as const) : (4 as const),
      internal,
    })),
  )
}
