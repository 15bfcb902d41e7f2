import type { PolicyFiles, Target } from '../target.ts'
import { openAccessReader } from './access/reader.ts'
import { openLocalAccounts } from '../../subjects/accounts/live/open-accounts.ts'
import { readDigest, readDirectoryEmpty, readFileHead, readFollowedStat, readLstat } from './file-reader.ts'
import { readExhibit } from './exhibit.ts'
import { openAudit } from '../../subjects/auditd/live/audit.ts'
import { openKernelBuilds } from '../../subjects/kernel-modules/live/kernel-builds.ts'
import { openFirewall } from '../../subjects/firewall/live/rules.ts'
import { openKernelModules } from '../../subjects/kernel-modules/live/modules.ts'
import { openMounts } from '../../subjects/mounts/live/mounts.ts'
import { mountsWithin } from './mounts.ts'
import { LOCAL_NETWORK } from '../../subjects/network/live/network.ts'
import { type AptOptions, openAptDatabase } from '../../subjects/packages/live/apt.ts'
import { type DnfOptions, openDnfDatabase } from '../../subjects/packages/live/dnf.ts'
import { findHanging } from './hanging.ts'
import { createLocalProbe } from './probe.ts'
import { runCommand } from './run-command.ts'
import { openRunning } from '../../subjects/processes/live/running.ts'
import { openServices } from '../../subjects/services/systemd/service-manager.ts'
import { openKernelParameters } from '../../subjects/sysctl/live.ts'
import { describeSystem } from './system.ts'
import { readLinkTarget, readRealPath, readTree } from './tree-reader.ts'
import { openFileTrees } from './trees/trees.ts'
import { openAccounts } from './users.ts'

/** Where package managers keep what they know, if not in the usual places. */
export interface LocalPackageOptions {
  readonly apt?: AptOptions
  readonly dnf?: DnfOptions
}

/** How files are looked at, as far as nothing of it is kept. */
const FILES = {
  lstat: readLstat,
  stat: readFollowedStat,
  digest: readDigest,
  readHead: readFileHead,
  isDirectoryEmpty: readDirectoryEmpty,
  listTree: readTree,
  mountsWithin,
  linkTarget: readLinkTarget,
  realPath: readRealPath,
  findHanging,
} as const

/** How files beside policies are read where the target is another machine; owners are shown by their numbers. */
export const LOCAL_POLICY_FILES: PolicyFiles = {
  ...FILES,
  readExhibit: (path, maxBytes) =>
    readExhibit(path, maxBytes, { names: { userName: () => undefined, groupName: () => undefined } }),
}

/** Few policies ask servers, so what does it loads with the first one that does. */
const tls: Target['tls'] = {
  certificates: async (peer, signal) =>
    (await import('../../subjects/certificates/live.ts')).readCertificates(peer, signal),
}

/** The machine this process runs on, read-only. Make one per run: users and packages are read once. */
export function createLocalTarget(packages: LocalPackageOptions = {}): Target {
  const apt = openAptDatabase(packages.apt)
  const dnf = openDnfDatabase(packages.dnf)
  const users = openAccounts({ file: '/etc/passwd', service: 'passwd' })
  const groups = openAccounts({ file: '/etc/group', service: 'group' })
  const services = openServices()
  const probe = createLocalProbe()
  const kernelModules = openKernelModules({ probe, realPath: readRealPath })
  const kernelBuilds = openKernelBuilds()
  const parameters = openKernelParameters()
  const ids = { userId: (name: string) => users.id(name), groupId: (name: string) => groups.id(name) }
  const audit = openAudit({ probe, ...ids })
  const mounts = openMounts()
  const access = openAccessReader()
  const trees = openFileTrees()
  const accounts = openLocalAccounts({ probe })
  const running = openRunning(probe)
  const firewall = openFirewall({ probe })
  const names = {
    userName: (uid: number) => users.name(uid),
    groupName: (gid: number) => groups.name(gid),
  }
  const readers = [users, groups, apt, dnf, services, kernelModules, parameters, audit, running]
  const others = [mounts, access, trees, accounts, kernelBuilds, firewall]
  return {
    kind: 'local',
    system: describeSystem(),
    probe,
    packages: { apt, dnf },
    services,
    kernelModules,
    kernelBuilds,
    access,
    parameters,
    audit,
    tls,
    mounts,
    processes: running.processes,
    sockets: running.sockets,
    interfaces: running.interfaces,
    network: LOCAL_NETWORK,
    firewall,
    trees,
    accounts,
    ...FILES,
    readExhibit: (path, maxBytes) => readExhibit(path, maxBytes, { names }),
    ...ids,
    findUserName: (uid) => users.findName(uid),
    findGroupName: (gid) => groups.findName(gid),
    ...names,
    forget(touched) {
      for (const reader of [...readers, ...others]) reader.forget(touched)
    },
    run: runCommand,
  }
}
