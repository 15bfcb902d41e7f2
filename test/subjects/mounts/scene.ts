import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { known } from '../../../src/model/observation.ts'
import { NO_JOURNAL } from '../../../src/host/live/journal.ts'
import { createLocalRemediator } from '../../../src/host/live/local-remediator.ts'
import { createLocalTarget } from '../../../src/host/live/local-target.ts'
import { createMountControl } from '../../../src/subjects/mounts/live/control.ts'
import { openMounts } from '../../../src/subjects/mounts/live/mounts.ts'
import { mountPlace } from '../../../src/subjects/mounts/live/place.ts'
import type { Remediator } from '../../../src/host/remediator.ts'
import type { Target } from '../../../src/host/target.ts'
import { opening, reading, writing } from '../../support/opening.ts'
import { MOUNTS } from '../../../src/subjects/mounts/subject.ts'

/** A machine whose mounts, fstab and units lie in a directory. */
export function machineIn(directory: string): Target {
  const target = createLocalTarget()
  const mounts = openMounts(mountPlace(directory))
  return {
    ...target,
    open: opening(target, reading(MOUNTS, mounts)),
    files: {
      ...target.files,
      realPath: (path) => known(path),
      lstat: (path) => target.files.lstat(join(directory, path)),
    },
    forget: () => mounts.forget(),
  }
}

/** Hands that write below a directory, in place of a kernel into its mountinfo. */
export function handsIn(directory: string): Remediator {
  const remediator = createLocalRemediator(NO_JOURNAL)
  const mountinfo = join(directory, 'proc/self/mountinfo')
  return {
    ...remediator,
    open: opening(
      remediator,
      writing(MOUNTS, {
        ...createMountControl(mountPlace(directory)),
        async remount({ path, words }) {
          const lines = readFileSync(mountinfo, 'utf8').split('\n')
          const changed = lines.map((line) => {
            const [before, point, own, ...after] = [line.split(' ').slice(0, 4).join(' '), ...line.split(' ').slice(4)]
            return point === path && own !== undefined
              ? [before, point, ['rw', ...words].join(','), ...after].join(' ')
              : line
          })
          writeFileSync(mountinfo, changed.join('\n'))
          return { kind: 'done' }
        },
      }),
    ),
    createDirectory: (path, attributes) => remediator.createDirectory(join(directory, path), attributes),
    writeFile: (path, content, attributes) => remediator.writeFile(join(directory, path), content, attributes),
  }
}

/** A mountinfo file with a root on a disk and these mounts in it, each `POINT OWN TYPE SOURCE FILE-SYSTEM-OPTIONS`. */
export function mountinfo(...mounts: readonly string[]): string {
  const lines = mounts.map((mount, index) => {
    const [point, own, fstype, source, options] = mount.split(' ')
    return `${30 + index} 27 0:${40 + index} / ${point} ${own} - ${fstype} ${source} ${options}`
  })
  return ['27 1 254:0 / / rw,relatime - ext4 /dev/vda rw', ...lines, ''].join('\n')
}
