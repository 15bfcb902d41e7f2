import type { Reading } from '../../model/observation.ts'
import type { SystemProbe } from '../probe.ts'
import type { MachineFiles } from '../live/machine-files.ts'
import { readingOf } from '../live/machine-reading.ts'
import { needsRunningSystem } from '../offline.ts'

/** Processor architectures by machine number in the ELF header. @see elf(5) */
const MACHINES: ReadonlyMap<number, string> = new Map([
  [3, 'i686'],
  [21, 'ppc64le'],
  [22, 's390x'],
  [40, 'armv7l'],
  [62, 'x86_64'],
  [183, 'aarch64'],
  [243, 'riscv64'],
])

const PROGRAMS = ['/bin/sh', '/usr/bin/env', '/sbin/init', '/usr/lib/systemd/systemd']
const HEADER_BYTES = 20
const MACHINE_AT = 18

/** Reads facts and configuration of an offline system. */
export function createRootedProbe(files: MachineFiles, readHead: ReadHead): SystemProbe {
  const { readText, list } = readingOf(files)
  return {
    readText,
    list,
    filesystemUsage: (path) => needsRunningSystem(path),
    addresses: () => [],
    machine: machineOf(readHead),
  }
}

type ReadHead = (path: string, maxBytes: number) => Reading<Uint8Array>

/** Empty if no program reveals it. */
function machineOf(readHead: ReadHead): string {
  for (const path of PROGRAMS) {
    const head = readHead(path, HEADER_BYTES)
    if (head.kind === 'unknown' || head.value.length < HEADER_BYTES) continue
    const bytes = Buffer.from(head.value)
    if (!bytes.subarray(0, 4).equals(Buffer.from('\u007fELF', 'latin1'))) continue
    const machine = MACHINES.get(bytes[5] === 2 ? bytes.readUInt16BE(MACHINE_AT) : bytes.readUInt16LE(MACHINE_AT))
    if (machine !== undefined) return machine
  }
  return ''
}
