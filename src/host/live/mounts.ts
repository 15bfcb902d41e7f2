import { fstatSync, readFileSync, realpathSync } from 'node:fs'
import { known, type Reading } from '../../model/observation.ts'
import { unescapeOctal } from '../octal-escapes.ts'
import { nameFromBytes } from './file-name.ts'
import { answeringPath } from './hanging.ts'
import { provesAbsence, unreadable } from './system-error.ts'

const MOUNTS = '/proc/self/mountinfo'

/**
 * A unique id of the mount of an open descriptor. The device number is not unique: a bind mount has that of its source.
 * Kernels without mount ids have nothing better. @see proc_pid_fdinfo(5)
 */
export function mountOf(fd: number): string {
  const id = /^mnt_id:\s*(\d+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'latin1'))?.[1]
  return id ?? deviceMount(fstatSync(fd).dev)
}

/** The mount id on systems without bind mounts. */
export function deviceMount(device: number): string {
  return `device ${device}`
}

/**
 * The mount points at a directory or below it, sorted, as paths relative to the directory; the empty path is the
 * directory itself. Only Linux has bind mounts, so other systems return none.
 */
export function mountsWithin(directory: string): Reading<readonly string[]> {
  if (process.platform !== 'linux') return known([])
  const points = readMountPoints()
  if (points.kind === 'unknown') return points
  try {
    const real = realpathSync.native(answeringPath(directory), 'buffer').toString('latin1')
    const prefix = real === '/' ? real : `${real}/`
    const found = points.value.flatMap((point) => {
      if (point === real) return ['']
      return point.startsWith(prefix) ? [nameFromBytes(Buffer.from(point.slice(prefix.length), 'latin1'))] : []
    })
    return known([...new Set(found)].toSorted())
  } catch (error) {
    return provesAbsence(error) ? known([]) : unreadable(error, directory)
  }
}

function readMountPoints(): Reading<readonly string[]> {
  try {
    return known(parseMountPoints(readFileSync(MOUNTS, 'latin1')))
  } catch (error) {
    return unreadable(error, MOUNTS)
  }
}

/** The mount points in a mountinfo file, one character per byte. @see proc_pid_mountinfo(5) */
export function parseMountPoints(text: string): readonly string[] {
  return text.split('\n').flatMap((line) => {
    const point = line.split(' ')[4]
    if (point === undefined) return []
    return [unescapeOctal(point)]
  })
}
