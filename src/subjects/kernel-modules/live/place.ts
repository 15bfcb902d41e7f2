import { release } from 'node:os'
import { SYSTEM_PATH } from '../../../host/live/system-programs.ts'

export interface ModulesPlace {
  /** Prefix of every path; empty on this machine. */
  readonly root: string
  readonly release: string
  /** Search path for modprobe and rmmod. */
  readonly searchPath: string
}

/** The machine that this process runs on. */
export const THIS_MACHINE: ModulesPlace = { root: '', release: release(), searchPath: SYSTEM_PATH }

/** The modprobe.d drop-in for a module. Its name sorts early, because the first line wins. */
export function ownFile(name: string): { readonly path: string; readonly content: string } {
  return {
    path: `/etc/modprobe.d/00-driftgate-${name}.conf`,
    content: `# Written by driftgate: ${name} must not be loaded.\ninstall ${name} /bin/false\nblacklist ${name}\n`,
  }
}
