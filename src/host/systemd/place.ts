import { filesBelow, type MachineFiles } from '../live/machine-files.ts'

/** The directories of systemd on the target. Paths are those of the target. */
export interface SystemdPlace {
  /** Prefix of every path; empty for the machine that this process runs on. */
  readonly root: string
  /** Reads its files; by default through `root`. */
  readonly files?: MachineFiles
  /** Directories of unit files, in order of precedence. */
  readonly unitDirectories: readonly string[]
  /** The directory that exists while systemd runs. @see sd_booted(3) */
  readonly runtimeMarker: string
}

export function filesOf({ root, files = filesBelow(root) }: SystemdPlace): MachineFiles {
  return files
}

/** The directory of links that enable units persistently. */
export const PERSISTENT_DIRECTORY = '/etc/systemd/system'

/** The directory of links that last until the next boot. */
export const RUNTIME_DIRECTORY = '/run/systemd/system'

export const GENERATOR_DIRECTORIES: readonly string[] = [
  '/run/systemd/generator.early',
  '/run/systemd/generator',
  '/run/systemd/generator.late',
]

export const TRANSIENT_DIRECTORY = '/run/systemd/transient'

/** The directories of systemd on this machine. @see systemd.unit(5), `systemd-analyze unit-paths` */
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
