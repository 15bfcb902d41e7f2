import { absent, known, unknown } from '../../src/model/observation.ts'
import type { Remediator } from '../../src/host/remediator.ts'
import type { PackageDatabase, PackageOperations } from '../../src/subjects/packages/packages.ts'
import { PACKAGES } from '../../src/subjects/packages/subject.ts'
import { SERVICES } from '../../src/subjects/services/subject.ts'
import { KERNEL_BUILDS, KERNEL_MODULES, NO_OPTIONS } from '../../src/subjects/kernel-modules/subject.ts'
import { SYSCTL } from '../../src/subjects/sysctl/subject.ts'
import { MOUNTS } from '../../src/subjects/mounts/subject.ts'
import { PROCESSES } from '../../src/subjects/processes/subject.ts'
import { SOCKETS } from '../../src/subjects/sockets/subject.ts'
import { INTERFACES, NETWORK } from '../../src/subjects/network/subject.ts'
import { FIREWALL } from '../../src/subjects/firewall/subject.ts'
import { ACCOUNTS } from '../../src/subjects/accounts/subject.ts'
import { AUDITD, NO_AUDIT } from '../../src/subjects/auditd/subject.ts'
import { TLS } from '../../src/subjects/certificates/subject.ts'
import { BOOT_MENUS } from '../../src/subjects/boot/subject.ts'
import { PAM_PROFILES } from '../../src/subjects/pam/subject.ts'
import type { Target } from '../../src/host/target.ts'
import { openingOnly, reading, writing } from './opening.ts'

const NO_PACKAGES: PackageDatabase = {
  exists: () => false,
  manager: () => undefined,
  find: () => known([]),
  expect: () => undefined,
  isNamed: () => false,
  transaction: () => Promise.resolve(known([])),
  candidate: async () => known({ version: null, indexUpdated: undefined }),
}

/** The readers of a machine with nothing on it. */
const READERS = [
  reading(PACKAGES, { apt: NO_PACKAGES, dnf: NO_PACKAGES }),
  reading(SERVICES, {
    announce: () => undefined,
    status: async (unit) => absent({ unit, unitFiles: [] }),
    starters: async () => known([]),
    companions: async () => known([]),
  }),
  reading(KERNEL_MODULES, {
    signatures: () => known({ isEnforced: known(null), lockdown: known(null), isLocked: known(false) }),
    status: () =>
      known({
        presence: known({ kind: 'not-loaded' }),
        place: known('absent'),
        configuration: known({ install: [], blacklist: [], aliases: [], masked: [], own: { path: '', state: 'none' } }),
        isLocked: known(false),
        isRefused: known(false),
      }),
  }),
  reading(KERNEL_BUILDS, {
    running: async () => known(NO_OPTIONS),
    installed: async () => known([]),
    forget: () => undefined,
  }),
  reading(SYSCTL, {
    read: () => absent(),
    interfaces: () => known([]),
    stored: () => known({ lists: [] }),
    forget: () => undefined,
  }),
  reading(MOUNTS, {
    now: () => known({ kind: 'nothing', within: '/' }),
    stored: () => known({ kind: 'nothing' }),
    forget: () => undefined,
  }),
  reading(PROCESSES, { list: () => known({ processes: [] }) }),
  reading(SOCKETS, { listening: () => known([]), owner: async () => known({ processes: [], units: known([]) }) }),
  reading(INTERFACES, { list: async () => known([]) }),
  reading(NETWORK, {
    dial: async () => known(false),
    resolve: async () => known([]),
    request: async () => unknown('not-observable', 'there is no network'),
  }),
  reading(FIREWALL, {
    rules: async () => known({ tables: [], chains: [] }),
    stored: async () => known({ tables: [], chains: [] }),
    session: () => undefined,
  }),
  reading(ACCOUNTS, {
    read: () => known({ users: [], groups: [], notAsked: [], leftOut: [] }),
    shells: () => known([]),
    groupShadow: () => known({ members: [], administrators: [], hasPassword: false }),
    uidMin: () => known(1000),
    guarded: () => [0],
    forget: () => undefined,
  }),
  reading(AUDITD, { state: async () => known(NO_AUDIT) }),
  reading(TLS, { certificates: async () => unknown('not-observable', 'there is no network') }),
]

/** A machine with nothing on it, for resource types that do not look at one. */
export const EMPTY_MACHINE: Target = {
  kind: 'local',
  system: { platform: 'linux', hostname: 'web01', os: { id: 'debian', version: '12' }, identity: 'web01' },
  probe: {
    machine: 'x86_64',
    readText: () => known(null),
    list: () => known(null),
    filesystemUsage: () => unknown('not-observable', 'there is no disk'),
    addresses: () => [],
  },
  access: {
    beyondMode: async (paths) =>
      paths.map(() => known({ acl: undefined, defaultAcl: undefined, capabilities: undefined })),
    flags: async (paths) => paths.map(() => known(undefined)),
    wayTo: () => known([]),
    forget: () => undefined,
  },
  trees: { find: async () => absent() },
  open: openingOnly(READERS),
  files: {
    readText: () => known(null),
    list: () => known(null),
    lstat: () => absent(),
    stat: () => absent(),
    digest: () => known({ sha256: '', sizeBytes: 0 }),
    readHead: () => known(new Uint8Array()),
    readExhibit: () => known({ kind: 'shown', bytes: new Uint8Array() }),
    isDirectoryEmpty: () => known(true),
    listTree: () => known([]),
    mountsWithin: () => known([]),
    linkTarget: () => known(''),
    realPath: () => known(null),
  },
  names: {
    userId: () => known(null),
    groupId: () => known(null),
    findUserName: () => known(null),
    findGroupName: () => known(null),
    userName: () => undefined,
    groupName: () => undefined,
  },
  forget: () => undefined,
  run: async () => ({ kind: 'not-started', message: 'nothing here' }),
}

const refuse = async (): Promise<{ kind: 'failed'; message: string }> => ({ kind: 'failed', message: 'nothing here' })

const NO_OPERATIONS: PackageOperations = { install: refuse, downgrade: refuse, remove: refuse, purge: refuse }

const WRITERS = [
  writing(PACKAGES, { apt: NO_OPERATIONS, dnf: NO_OPERATIONS }),
  writing(SERVICES, { change: refuse }),
  writing(KERNEL_MODULES, { change: refuse }),
  writing(SYSCTL, { set: refuse }),
  writing(MOUNTS, { remount: refuse, checkFstab: refuse, reload: refuse }),
  writing(FIREWALL, { change: refuse, load: refuse }),
  writing(ACCOUNTS, { change: refuse }),
  writing(AUDITD, { change: refuse }),
  writing(BOOT_MENUS, { generate: refuse }),
  writing(PAM_PROFILES, { enable: refuse, enableFeatures: refuse }),
]

/** Makes a run a fix for resource types that change something other than the machine. */
export const NO_HANDS: Remediator = {
  open: openingOnly(WRITERS),
  writeFile: refuse,
  editText: refuse,
  setAttributes: refuse,
  setAccess: refuse,
  adjustAttributes: refuse,
  setOwner: refuse,
  createDirectory: refuse,
  remove: refuse,
  download: refuse,
  extract: refuse,
  removeEmptyDirectory: refuse,
  run: async () => ({ kind: 'not-started', message: 'nothing here' }),
}
