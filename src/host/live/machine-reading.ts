import { textFromBytes } from '../byte-text.ts'
import { absent, known, type Observation, present, type Reading } from '../../model/observation.ts'
import type { SystemProbe } from '../probe.ts'
import type { FileStat } from '../target.ts'
import { describeStats } from './file-stat.ts'
import type { MachineFiles } from './machine-files.ts'
import { provesAbsence, unreadable } from './system-error.ts'
import { resolvePath } from '../systemd/find-unit.ts'

/** What readers of configuration ask of a machine: answers where its files throw. */
export interface MachineReading extends Pick<SystemProbe, 'readText' | 'list'> {
  stat(path: string): Observation<FileStat>
  /** The path with every link in it resolved; `null` where it is proved to lead nowhere. */
  realPath(path: string): Reading<string | null>
}

// One of /proc grows with the machine: a thousand processors are told in a megabyte.
const LARGEST_TEXT_BYTES = 16 * 1024 * 1024

/** Asks the files of a machine, whichever it is. */
export function readingOf(files: MachineFiles): MachineReading {
  return {
    readText: (path) => orAbsent(path, () => textFromBytes(files.whole(path, LARGEST_TEXT_BYTES))),
    list: (path) => orAbsent(path, () => files.names(path).toSorted((left, right) => (left < right ? -1 : 1))),
    stat(path) {
      const stats = orAbsent(path, () => files.stat(path) ?? null)
      if (stats.kind === 'unknown') return stats
      return stats.value === null ? absent() : present(describeStats(stats.value))
    },
    realPath(path) {
      const real = resolvePath(files, path, 'last-too')
      // A device that only a running system has, and that means the same on each.
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
