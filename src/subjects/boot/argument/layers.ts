import { known, type Reading, unknown } from '../../../model/observation.ts'
import { type BootMenus, readBootMenus } from '../settings/entries.ts'
import type { BootEntry } from '../settings/grub-menu.ts'
import {
  type BootSource,
  readGrubSources,
  readKernelInstallSource,
  readZiplSources,
  RUNNING,
} from '../settings/sources.ts'
import type { ConfigFiles } from '../../../settings/surface.ts'

/** The three layers that must have the argument. */
export interface Layers {
  /** The command line of the running kernel. */
  readonly running: Reading<string>
  readonly entries: Reading<readonly BootEntry[]>
  /** Sources of future entries. */
  readonly sources: Reading<readonly BootSource[]>
  readonly menus: Reading<BootMenus>
}

/** Reads the layers; `images` are kernels with an embedded command line. */
export function readLayers(files: ConfigFiles, images: Reading<readonly BootEntry[]>): Layers {
  const running = files.text(RUNNING)
  const menus = readBootMenus(files)
  return {
    running:
      running.kind === 'known' && running.value === null
        ? unknown('not-observable', `${RUNNING} does not exist: the command line of the running kernel is unknown`)
        : (running as Reading<string>), // What is not null is text.
    entries: entriesOf(menus, images),
    sources: sourcesOf(files, menus, images),
    menus,
  }
}

function entriesOf(menus: Reading<BootMenus>, images: Reading<readonly BootEntry[]>): Reading<readonly BootEntry[]> {
  if (menus.kind === 'unknown') return menus
  if (images.kind === 'unknown') return images
  const { grub, loader } = menus.value
  const all = [...grub, ...loader.map(({ entry }) => entry), ...images.value]
  if (all.length > 0) return known(all)
  return unknown('not-observable', NO_LOADER)
}

/** Containers have no boot loader, nor does a machine with /boot unmounted. */
const NO_LOADER = 'no boot entries found in grub.cfg, loader/entries or EFI/Linux'

/** Sources of all kinds of entries on the machine; all must be compliant. */
function sourcesOf(
  files: ConfigFiles,
  menus: Reading<BootMenus>,
  images: Reading<readonly BootEntry[]>,
): Reading<readonly BootSource[]> {
  const grub = readGrubSources(files)
  if (grub.kind === 'unknown') return grub
  const zipl = readZiplSources(files)
  if (zipl.kind === 'unknown') return zipl
  if (menus.kind === 'unknown') return menus
  if (images.kind === 'unknown') return images
  const isInstalled = menus.value.loader.length > 0 || images.value.length > 0
  const installed = isInstalled ? readKernelInstallSource(files) : undefined
  if (installed?.kind === 'unknown') return installed
  const all = [...grub.value, ...(installed === undefined ? [] : [installed.value]), ...zipl.value]
  if (all.length > 0) return known(all)
  return unknown('not-observable', 'the sources of the boot entries are unknown: /etc/default/grub does not exist')
}
