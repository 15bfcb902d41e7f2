import type { Remediator } from '../remediator.ts'
import { createAccountControl } from '../../subjects/accounts/live/control.ts'
import type { TransferOptions } from '../http/transfer.ts'
import { createBootMenuControl } from '../../subjects/boot/live-boot-menu.ts'
import { createAuditControl } from '../../subjects/auditd/live/control.ts'
import type { Journal } from './journal.ts'
import { createFileWriters } from './file-writers.ts'
import { readFollowedStat } from './file-reader.ts'
import { createFirewallControl } from '../../subjects/firewall/live/control.ts'
import { createMountControl } from '../../subjects/mounts/live/control.ts'
import { createModuleControl } from '../../subjects/kernel-modules/live/control.ts'
import type { LocalPackageOptions } from './local-target.ts'
import { createPamProfileControl } from '../../subjects/pam/live/pam-profiles.ts'
import { createAptOperations } from '../../subjects/packages/live/apt.ts'
import { createDnfOperations } from '../../subjects/packages/live/dnf.ts'
import { createOperator, type Patience } from '../../subjects/packages/live/operate.ts'
import { createLocalProbe } from './probe.ts'
import { runCommand } from './run-command.ts'
import { createKernelParameterControl } from '../../subjects/sysctl/live.ts'
import { createServiceControl } from '../../subjects/services/systemd/service-control.ts'
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
