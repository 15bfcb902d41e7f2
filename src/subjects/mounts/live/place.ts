import { type SystemdPlace, THIS_MACHINE as SYSTEMD } from '../../../host/systemd/place.ts'

/** The paths of mount information on a host. */
export interface MountPlace {
  /** Prefix of every path; empty on this machine. */
  readonly root: string
  readonly systemd: SystemdPlace
}

export const FSTAB = '/etc/fstab'

/** Boot arguments can add mounts. */
export const COMMAND_LINE = '/proc/cmdline'

/** This machine, or a tree below a root in tests. */
export function mountPlace(root = ''): MountPlace {
  return { root, systemd: { ...SYSTEMD, root } }
}
