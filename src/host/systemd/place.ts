import { filesBelow, type MachineFiles } from '../live/machine-files.ts'

/** Where systemd keeps its files on the machine that is looked at. Paths are those of that machine. */
export interface SystemdPlace {
  /** What stands before every path; empty for the machine this process runs on. */
  readonly root: string
  /** How its files are read, if not by paths with the root before them. */
  readonly files?: MachineFiles
  /** Where unit files lie, those that count first in front. */
  readonly unitDirectories: readonly string[]
  /** The directory that exists while systemd runs. @see sd_booted(3) */
  readonly runtimeMarker: string
}

/** How the files of a place are read. */
export function filesOf({ root, files = filesBelow(root) }: SystemdPlace): MachineFiles {
  return files
}

/** The directory whose links mean that a unit is enabled for good. */
export const PERSISTENT_DIRECTORY = '/etc/systemd/system'

/** The directory whose links last until the next start of the system. */
export const RUNTIME_DIRECTORY = '/run/systemd/system'

/** Where generators put unit files. */
export const GENERATOR_DIRECTORIES: readonly string[] = [
  '/run/systemd/generator.early',
  '/run/systemd/generator',
  '/run/systemd/generator.late',
]

/** Where units lie that a program has made for the time being. */
export const TRANSIENT_DIRECTORY = '/run/systemd/transient'

/** systemd's own places on the machine this process runs on. @see systemd.unit(5), `systemd-analyze unit-paths` */
export const THIS_MACHINE: SystemdPlace = {
  root: '',
  unitDirectories: [
    '/etc/systemd/system.control',
    '/run/systemd/system.control',
    TRANSIENT_DIRECTORY,
    '/run/systemd/generator.early',
    PERSISTENT_DIRECTORY,
    '/etc/systemd/system.attached',
    '/run/systemd/system',
    '/run/systemd/system.attached',
    '/run/systemd/generator',
    '/usr/local/lib/systemd/system',
    '/lib/systemd/system',
    '/usr/lib/systemd/system',
    '/run/systemd/generator.late',
  ],
  runtimeMarker: '/run/systemd/system',
}
