import { pathsIn } from '../../host/paths-in.ts'
import { systemCommand } from '../../host/keeping.ts'
import type { MachineFiles } from '../../host/live/machine-files.ts'
import { type MachineReading, readingOf } from '../../host/live/machine-reading.ts'
import { needsRunningSystem, refusedAtRest } from '../../host/offline.ts'
import type { WritableSubject } from '../../host/remediator.ts'
import { THIS_MACHINE } from '../../host/systemd/place.ts'
import type { ReadableSubject } from '../../host/target.ts'
import { known, type Reading, unknown } from '../../model/observation.ts'
import { createMountControl } from './live/control.ts'
import { openMounts } from './live/mounts.ts'
import { openStoredMounts } from './live/stored.ts'
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

/** Files with the arguments of the next boot. */
const ARGUMENTS = ['/etc/default/grub', '/etc/kernel/cmdline', '/boot/grub/grub.cfg', '/boot/grub2/grub.cfg']
const ENTRIES = ['/boot/loader/entries', '/efi/loader/entries', '/boot/efi/loader/entries']

/** Opens the stored mounts of a system that is not running. */
function openMountsAtRest(files: MachineFiles): Mounts['stored'] {
  const machine = readingOf(files)
  const stored = openStoredMounts({ root: '', systemd: { ...THIS_MACHINE, files } }, () => commandLineAtRest(machine))
  return (path) => stored.find(path)
}

/** The mount arguments of the next boot, whichever entry it uses; usually empty. */
function commandLineAtRest(machine: MachineReading): Reading<string> {
  const entries = pathsIn({ names: machine.list }, ENTRIES)
  if (entries.kind === 'unknown') return entries
  for (const file of [...ARGUMENTS, ...entries.value]) {
    const text = machine.readText(file)
    if (text.kind === 'unknown') return text
    if (!/\b(?:fstab|systemd\.mount-extra)=/.test(text.value ?? '')) continue
    return unknown('not-observable', `${file} has a boot argument that changes the mounts`)
  }
  return known('')
}
