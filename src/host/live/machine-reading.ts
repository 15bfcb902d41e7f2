import { textFromBytes } from '../byte-text.ts'
import { absent, known, type Observation, present, type Reading } from '../../model/observation.ts'
import type { SystemProbe } from '../probe.ts'
import type { FileStat } from '../target.ts'
import { describeStats } from './file-stat.ts'
import type { MachineFiles } from './machine-files.ts'
import { provesAbsence, unreadable } from './system-error.ts'
import { resolvePath } from '../systemd/find-unit.ts'

/** Reads configuration of a machine: returns readings, while `MachineFiles` throws. */
export interface MachineReading extends Pick<SystemProbe, 'readText' | 'list'> {
  stat(path: string): Observation<FileStat>
  /** The path with all links resolved; `null` if it is proven not to exist. */
  realPath(path: string): Reading<string | null>
}

// Some files in /proc grow with the machine: for a thousand processors, to a megabyte.
const LARGEST_TEXT_BYTES = 16 * 1024 * 1024

export function readingOf(files: MachineFiles): MachineReading {
  return {
    readText: (path) => orAbsent(path, () => textFromBytes(files.whole(path, LARGEST_TEXT_BYTES))),
    list: (path) => orAbsent(path, () => files.names(path).toSorted()),
    stat(path) {
      const stats = orAbsent(path, () => files.stat(path) ?? null)
      if (stats.kind === 'unknown') return stats
      return stats.value === null ? absent() : present(describeStats(stats.value))
    },
    realPath(path) {
      const real = resolvePath(files, path, 'last-too')
      // A device that exists only on a running system and is the same on all of them.
      if (real === '/dev/null') return known(real)
      const stats = orAbsent(path, () => files.stat(path) ?? null)
      return stats.kind === 'unknown' ? stats : known(stats.value === null ? null : (real ?? null))
    },
  }
}

function orAbsent<Value>(path: string, read: () => Value): Reading<Value | null> {
  try {
    return known(read())
  } catch (error) {
    return provesAbsence(error) ? known(null) : unreadable(error, path)
  }
}
