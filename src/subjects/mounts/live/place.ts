import { type SystemdPlace, THIS_MACHINE as SYSTEMD } from '../../../host/systemd/place.ts'

/** Where mounts are read from on the machine that is looked at. */
export interface MountPlace {
  /** What stands before every path; empty for the machine this process runs on. */
  readonly root: string
  readonly systemd: SystemdPlace
}

/** The file of the mounts that the administrator wants. */
export const FSTAB = '/etc/fstab'

/** The boot arguments, which may add mounts. */
export const COMMAND_LINE = '/proc/cmdline'

/** What this process runs on, or a tree below a root that only tests choose. */
export function mountPlace(root = ''): MountPlace {
  return { root, systemd: { ...SYSTEMD, root } }
}
