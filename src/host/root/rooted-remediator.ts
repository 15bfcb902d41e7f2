import type { ApplyOutcome } from '../../model/decision.ts'
import type { PackageOperations } from '../../subjects/packages/packages.ts'
import type { Remediator } from '../remediator.ts'
import { createFileWriters } from '../live/file-writers.ts'
import type { LocalRemediatorOptions } from '../live/local-remediator.ts'
import type { MachineFiles } from '../live/machine-files.ts'
import type { Site } from '../live/site.ts'
import { createAccountControlAtRest } from './account-control.ts'
import { createServiceControlAtRest } from './service-control.ts'
import { unitsAtRest } from './services.ts'

const NOTHING_IS_RUN = 'nothing is run for a target that is a directory; start the system, and run the fix there'

/** What needs a program, or the running system, and is refused before anything is changed. */
function refused(what: string): () => Promise<ApplyOutcome> {
  return () => Promise.resolve({ kind: 'failed', message: `${what}: ${NOTHING_IS_RUN}` })
}

/** Everything a fix may do to the system below a root directory: what lies in its files, written by our own code. */
export function createRootedRemediator(
  site: Site,
  files: MachineFiles,
  { download }: LocalRemediatorOptions = {},
): Remediator {
  return {
    ...createFileWriters(site, download),
    runsNothing: NOTHING_IS_RUN,
    services: createServiceControlAtRest(unitsAtRest(files), site),
    kernelModules: { change: refused('kernel modules') },
    parameters: { set: refused('kernel parameters') },
    audit: { change: refused('audit rules') },
    bootMenus: { generate: refused('boot menus') },
    firewall: { change: refused('firewall rules'), load: refused('firewall rules') },
    mounts: {
      // There is no fstab in force, so one that is wrong harms nothing before somebody starts the system.
      checkFstab: () => Promise.resolve({ kind: 'done' }),
      remount: refused('mounts'),
      reload: () => Promise.resolve({ kind: 'done' }),
    },
    pamProfiles: { enable: refused('PAM profiles'), enableFeatures: refused('PAM features') },
    accounts: createAccountControlAtRest(site, files),
    run: ({ argv: [program] }) =>
      Promise.resolve({ kind: 'not-started', message: `${program} is not run: ${NOTHING_IS_RUN}` }),
    packages: { apt: PACKAGES, dnf: PACKAGES },
  }
}

const PACKAGES: PackageOperations = {
  install: refused('packages'),
  downgrade: refused('packages'),
  remove: refused('packages'),
  purge: refused('packages'),
}
