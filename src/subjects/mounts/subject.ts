import { systemCommand } from '../../host/keeping.ts'
import { needsRunningSystem, refusedAtRest } from '../../host/offline.ts'
import type { WritableSubject } from '../../host/remediator.ts'
import type { ReadableSubject } from '../../host/target.ts'
import { openMountsAtRest } from './at-rest.ts'
import { createMountControl } from './live/control.ts'
import { openMounts } from './live/mounts.ts'
import type { MountControl, Mounts } from './mounts.ts'

/** Mounts: /proc/self/mountinfo, and the next boot according to fstab(5) and mount units. */
export const MOUNTS: ReadableSubject<Mounts> & WritableSubject<MountControl> = {
  name: 'mounts',
  read: {
    live: () => openMounts(),
    atRest({ startFiles }) {
      let stored = openMountsAtRest(startFiles)
      return {
        now: (path) => needsRunningSystem(`the mount at ${path}`),
        stored: (path) => stored(path),
        forget() {
          stored = openMountsAtRest(startFiles)
        },
      }
    },
    answering: (mounts, { now }) => ({
      now: (path) => now('mounts', () => mounts.now(path), { kind: 'nothing', within: '/' }),
      stored: (path) => now('mounts', () => mounts.stored(path), { kind: 'nothing' }),
      forget: () => mounts.forget(),
    }),
  },
  write: {
    live: () => createMountControl(),
    atRest: () => ({
      // The fstab is not in use, so an invalid one does no harm before the system boots.
      checkFstab: () => Promise.resolve({ kind: 'done' }),
      remount: refusedAtRest('mounts'),
      reload: () => Promise.resolve({ kind: 'done' }),
    }),
    keeping: (mounts, { keep, runsNothing }) => ({
      checkFstab: (before, after, signal) => mounts.checkFstab(before, after, signal),
      remount: (remount, signal) =>
        keep({ things: [{ kind: 'mount', name: remount.path }] }, () => mounts.remount(remount, signal)),
      reload: (signal) =>
        keep(runsNothing === undefined ? { again: systemCommand(['systemctl', 'daemon-reload']) } : {}, () =>
          mounts.reload(signal),
        ),
    }),
  },
}
