import type { ApplyOutcome } from '../../core/decision.ts'
import { showName } from '../../core/file-name.ts'
import type { Remediator } from '../remediator.ts'
import { createAccountControl } from './accounts/control.ts'
import { adjustAttributes, setAttributes } from './attributes.ts'
import type { TransferOptions } from './http/transfer.ts'
import { createDirectory, createMissingDirectories } from './create-directory.ts'
import { createBootMenuControl } from './boot-menu.ts'
import { createAuditControl } from './audit/control.ts'
import type { Journal } from './journal.ts'
import { readFollowedStat } from './file-reader.ts'
import { createFirewallControl } from './firewall/control.ts'
import { createMountControl } from './mounting/control.ts'
import { createModuleControl } from './kernel-modules/control.ts'
import type { LocalPackageOptions } from './local-target.ts'
import { createPamProfileControl } from './pam-profiles.ts'
import { createAptOperations } from './packages/apt.ts'
import { createDnfOperations } from './packages/dnf.ts'
import { createOperator, type Patience } from './packages/operate.ts'
import { createLocalProbe } from './probe.ts'
import { explained } from './protection.ts'
import { remove, removeEmptyDirectory } from './remove.ts'
import { runCommand } from './run-command.ts'
import { setOwner } from './set-owner.ts'
import { createKernelParameterControl } from './sysctl.ts'
import { createServiceControl } from './systemd/service-control.ts'
import { writeFile } from './write-file.ts'

/** How this machine is changed. */
export interface LocalRemediatorOptions {
  /** How downloads are done; `onProgress` tells how far they have come. */
  readonly download?: TransferOptions
  /** How packages are changed; `onWait` tells that another program has to finish first. */
  readonly packages?: LocalPackageOptions & Patience
}

/**
 * Everything a fix may do to this machine. The journal is the one of the run's fix lock, which lets the next run take
 * away what a killed write left.
 */
export function createLocalRemediator(journal: Journal, options: LocalRemediatorOptions = {}): Remediator {
  const { apt = {}, dnf = {}, ...patience } = options.packages ?? {}
  const operate = createOperator(patience)
  return {
    services: createServiceControl(),
    kernelModules: createModuleControl(journal),
    parameters: createKernelParameterControl(),
    audit: createAuditControl(journal),
    bootMenus: createBootMenuControl(journal),
    firewall: createFirewallControl(journal),
    mounts: createMountControl(),
    pamProfiles: createPamProfileControl(() => ({ stat: readFollowedStat, probe: createLocalProbe() })),
    accounts: createAccountControl(),
    writeFile: (path, content, attributes) => legible(path, writeFile(path, content, attributes, journal)),
    setAttributes: (path, attributes) => settle(path, () => setAttributes(path, attributes)),
    setAccess: async (path, change) => legible(path, (await import('./access/change.ts')).setAccess(path, change)),
    adjustAttributes: (path, change) => settle(path, () => adjustAttributes(path, change)),
    setOwner: (path, ownership, options) => legible(path, setOwner(path, ownership, options)),
    createDirectory: (path, attributes) =>
      settle(path, () =>
        'defaultMode' in attributes
          ? createMissingDirectories(path, attributes)
          : createDirectory(path, attributes, journal),
      ),
    remove: (path, options) => legible(path, remove(path, options)),
    // Few policies need archives, so what unpacks and downloads them loads with the first one.
    download: async (request) => (await import('./http/download.ts')).download(request, journal, options.download),
    extract: async (request) => (await import('./archive/install-archive.ts')).installArchive(request, journal),
    removeEmptyDirectory: (path) => legible(path, removeEmptyDirectory(path)),
    run: runCommand,
    packages: { apt: createAptOperations(apt, operate), dnf: createDnfOperations(dnf, operate) },
  }
}

async function settle(path: string, call: () => ApplyOutcome): Promise<ApplyOutcome> {
  return legible(path, call())
}

/** Names in a message are for people. */
async function legible(path: string, outcome: ApplyOutcome | Promise<ApplyOutcome>): Promise<ApplyOutcome> {
  const settled = await explained(path, await outcome)
  return settled.kind === 'failed' ? { ...settled, message: showName(settled.message) } : settled
}
