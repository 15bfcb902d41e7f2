import { known, type Reading, unknown } from '../../model/observation.ts'
import type { MachineFiles } from '../../host/live/machine-files.ts'
import { type MachineReading, readingOf } from '../../host/live/machine-reading.ts'
import { THIS_MACHINE } from '../../host/systemd/place.ts'
import type { Mounts } from './mounts.ts'
import { openStoredMounts } from './live/stored.ts'

/** Files with the arguments of the next boot. */
const ARGUMENTS = ['/etc/default/grub', '/etc/kernel/cmdline', '/boot/grub/grub.cfg', '/boot/grub2/grub.cfg']
const ENTRIES = ['/boot/loader/entries', '/efi/loader/entries', '/boot/efi/loader/entries']

/** Opens the stored mounts of a system that is not running. */
export function openMountsAtRest(files: MachineFiles): Mounts['stored'] {
  const machine = readingOf(files)
  const stored = openStoredMounts({ root: '', systemd: { ...THIS_MACHINE, files } }, () => commandLineAtRest(machine))
  return (path) => stored.find(path)
}

/** The mount arguments of the next boot, whichever entry it uses; usually empty. */
function commandLineAtRest(machine: MachineReading): Reading<string> {
  const entries: string[] = []
  for (const directory of ENTRIES) {
    const names = machine.list(directory)
    if (names.kind === 'unknown') return names
    entries.push(...(names.value ?? []).map((name) => `${directory}/${name}`))
  }
  for (const file of [...ARGUMENTS, ...entries]) {
    const text = machine.readText(file)
    if (text.kind === 'unknown') return text
    if (!/\b(?:fstab|systemd\.mount-extra)=/.test(text.value ?? '')) continue
    return unknown('not-observable', `${file} has a boot argument that changes the mounts`)
  }
  return known('')
}
