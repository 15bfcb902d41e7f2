import type { Remediator } from '../remediator.ts'
import { createAccountControl } from './accounts/control.ts'
import type { TransferOptions } from './http/transfer.ts'
import { createBootMenuControl } from './boot-menu.ts'
import { createAuditControl } from './audit/control.ts'
import type { Journal } from './journal.ts'
import { createFileWriters } from './file-writers.ts'
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
import { runCommand } from './run-command.ts'
import { createKernelParameterControl } from './sysctl.ts'
import { createServiceControl } from './systemd/service-control.ts'
import { onThisMachine } from './site.ts'

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
    ...createFileWriters(onThisMachine(journal), options.download),
    run: runCommand,
    packages: { apt: createAptOperations(apt, operate), dnf: createDnfOperations(dnf, operate) },
  }
}
