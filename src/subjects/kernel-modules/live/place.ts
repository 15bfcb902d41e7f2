import { release } from 'node:os'
import { SYSTEM_PATH } from '../../../host/live/system-programs.ts'

/** The machine whose modules are meant. */
export interface ModulesPlace {
  /** What stands before every path; nothing on this machine. */
  readonly root: string
  /** The release of the running kernel. */
  readonly release: string
  /** Where modprobe and rmmod are looked for. */
  readonly searchPath: string
}

/** The machine that this process runs on. */
export const THIS_MACHINE: ModulesPlace = { root: '', release: release(), searchPath: SYSTEM_PATH }

/** The file of modprobe.d that a fix writes for a module: its name comes before others, because the first line counts. */
export function ownFile(name: string): { readonly path: string; readonly content: string } {
  return {
    path: `/etc/modprobe.d/00-driftgate-${name}.conf`,
    content: `# Written by driftgate: ${name} must not be loaded.\ninstall ${name} /bin/false\nblacklist ${name}\n`,
  }
}
