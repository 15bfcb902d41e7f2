import { closeSync, openSync, readSync, statfsSync } from 'node:fs'
import { machine, networkInterfaces } from 'node:os'
import { known, type Reading, unknown } from '../../core/observation.ts'
import type { FilesystemUsage, InterfaceAddress, SystemProbe } from '../probe.ts'
import { systemPath } from './file-name.ts'
import { listNames } from './list-directory.ts'
import { provesAbsence, unreadable } from './system-error.ts'

// One of /proc grows with the machine: a thousand processors are told in a megabyte.
const LARGEST_TEXT_BYTES = 16 * 1024 * 1024

/** Reads facts of the machine this process runs on. */
export function createLocalProbe(): SystemProbe {
  return { readText, list, filesystemUsage, addresses, machine: machine() }
}

/** Files of /proc have no size, so they are read until they end. */
function readText(path: string): Reading<string | null> {
  let descriptor: number | undefined
  try {
    descriptor = openSync(systemPath(path), 'r')
    const chunks: Buffer[] = []
    for (let total = 0; total <= LARGEST_TEXT_BYTES;) {
      const chunk = Buffer.alloc(64 * 1024)
      const length = readSync(descriptor, chunk)
      if (length === 0) return known(Buffer.concat(chunks).toString('utf8'))
      chunks.push(chunk.subarray(0, length))
      total += length
    }
    return unknown('not-observable', `${path}: larger than ${LARGEST_TEXT_BYTES / 1024 / 1024} MiB`)
  } catch (error) {
    return provesAbsence(error) ? known(null) : unreadable(error, path)
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}

function list(path: string): Reading<readonly string[] | null> {
  try {
    return known(listNames(path).toSorted((left, right) => (left < right ? -1 : 1)))
  } catch (error) {
    return provesAbsence(error) ? known(null) : unreadable(error, path)
  }
}

function filesystemUsage(path: string): Reading<FilesystemUsage> {
  try {
    const { bsize, blocks, bfree, bavail, files, ffree } = statfsSync(systemPath(path), { bigint: true })
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
