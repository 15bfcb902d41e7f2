import { baseName } from '../../../model/file-name.ts'
import { known, type Observation, present, type Reading, unknown } from '../../../model/observation.ts'
import { ADDON_DIRECTORIES, IMAGE_DIRECTORIES } from '../settings/entries.ts'
import type { BootEntry } from '../settings/grub-menu.ts'
import { commandLinesOfImage } from '../settings/unified-image.ts'
import { recordFiles } from '../../../settings/files.ts'
import type { FileAttributes } from '../../../host/remediator.ts'
import type { HasFiles, Target } from '../../../host/target.ts'
import { readLayers } from './layers.ts'
import { OWN_FILE } from './edits.ts'
import { type BootArgumentState, changeableFiles } from './plan.ts'

type Machine = Pick<Target, 'probe'> & HasFiles<'stat' | 'lstat' | 'realPath' | 'readHead'>

/** Observes the running kernel, all boot entries, and their sources. */
export function observeBootArgument(target: Machine): Observation<BootArgumentState> {
  const { files, snapshot } = recordFiles(target)
  const images = readImages(target)
  const layers = readLayers(files, images)
  // A fix may write these files although they are missing.
  for (const file of [OWN_FILE, '/etc/kernel/cmdline', '/usr/sbin/grub2-mkconfig', '/usr/sbin/grub-mkconfig']) {
    files.text(file)
    files.exists(file)
  }
  const holders = new Map<string, FileAttributes | undefined>()
  for (const file of [...changeableFiles(files, layers), OWN_FILE]) holders.set(file, holderOf(target, file))
  return present({ files: snapshot, images, holders })
}

function holderOf({ files: { lstat } }: Machine, file: string): FileAttributes | undefined {
  const seen = lstat(file)
  if (seen.kind !== 'present' || seen.state.kind !== 'file') return undefined
  const { uid, gid, mode } = seen.state
  return { uid, gid, mode }
}

/** An image holds a kernel and an initramfs; its command line comes before them. */
const LARGEST_IMAGE_BYTES = 256 * 1024 * 1024

function readImages(target: Machine): Reading<readonly BootEntry[]> {
  const entries: BootEntry[] = []
  for (const directory of IMAGE_DIRECTORIES) {
    const names = target.probe.list(directory)
    if (names.kind === 'unknown') return names
    for (const name of (names.value ?? []).filter((each) => /\.efi$/i.test(each))) {
      const entry = readImage(target, `${directory}/${name}`)
      if (entry.kind === 'unknown') return entry
      entries.push(...entry.value)
    }
    if (names.value?.some((name) => name.endsWith('.extra.d')) === true) return addons(directory)
  }
  if (entries.length === 0) return known(entries)
  for (const directory of ADDON_DIRECTORIES) {
    const names = target.probe.list(directory)
    if (names.kind === 'unknown') return names
    if (names.value !== null && names.value.length > 0) return addons(directory)
  }
  return known(entries)
}

function addons(directory: string): Reading<never> {
  return unknown('not-observable', `files below ${directory} may extend the command line of an image`)
}

function readImage(target: Machine, file: string): Reading<readonly BootEntry[]> {
  const head = target.files.readHead(file, LARGEST_IMAGE_BYTES)
  if (head.kind === 'unknown') return head
  const lines = commandLinesOfImage(head.value)
  if (lines === undefined) return unknown('invalid', `${file} is not a complete EFI executable`)
  const title = baseName(file)
  const isRecovery = /\brescue\b/i.test(title)
  if (lines.length === 0) return known([])
  return known([{ title, file, line: 1, writtenBy: undefined, isRecovery, commandLines: known(lines) }])
}
