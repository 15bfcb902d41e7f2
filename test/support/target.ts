import { absent, known, unknown } from '../../src/model/observation.ts'
import type { Remediator } from '../../src/host/remediator.ts'
import type { PackageDatabase, PackageOperations } from '../../src/subjects/packages/packages.ts'
import { NO_AUDIT, NO_OPTIONS } from '../../src/testing/machines.ts'
import type { Target } from '../../src/host/target.ts'

const NO_PACKAGES: PackageDatabase = {
  exists: () => false,
  manager: () => undefined,
  find: () => known([]),
  expect: () => undefined,
  isNamed: () => false,
  transaction: () => Promise.resolve(known([])),
  candidate: async () => known({ version: null, indexUpdated: undefined }),
}

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
  packages: { apt: NO_PACKAGES, dnf: NO_PACKAGES },
  services: {
    announce: () => undefined,
    status: async (unit) => absent({ unit, unitFiles: [] }),
    starters: async () => known([]),
    companions: async () => known([]),
  },
  kernelModules: {
    signatures: () => known({ isEnforced: known(null), lockdown: known(null), isLocked: known(false) }),
    status: () =>
      known({
        presence: known({ kind: 'not-loaded' }),
        place: known('absent'),
        configuration: known({ install: [], blacklist: [], aliases: [], masked: [], own: { path: '', state: 'none' } }),
        isLocked: known(false),
        isRefused: known(false),
      }),
  },
  kernelBuilds: {
    running: async () => known(NO_OPTIONS),
    installed: async () => known([]),
    forget: () => undefined,
  },
  access: {
    beyondMode: async (paths) =>
      paths.map(() => known({ acl: undefined, defaultAcl: undefined, capabilities: undefined })),
    flags: async (paths) => paths.map(() => known(undefined)),
    wayTo: () => known([]),
    forget: () => undefined,
  },
  parameters: {
    read: () => absent(),
    interfaces: () => known([]),
    stored: () => known({ lists: [] }),
    forget: () => undefined,
  },
  mounts: {
    now: () => known({ kind: 'nothing', within: '/' }),
    stored: () => known({ kind: 'nothing' }),
    forget: () => undefined,
  },
  processes: { list: () => known({ processes: [] }) },
  sockets: { listening: () => known([]), owner: async () => known({ processes: [], units: known([]) }) },
  interfaces: { list: async () => known([]) },
  network: {
    dial: async () => known(false),
    resolve: async () => known([]),
    request: async () => unknown('not-observable', 'there is no network'),
  },
  firewall: {
    rules: async () => known({ tables: [], chains: [] }),
    stored: async () => known({ tables: [], chains: [] }),
    session: () => undefined,
  },
  trees: { find: async () => absent() },
  accounts: {
    read: () => known({ users: [], groups: [], notAsked: [], leftOut: [] }),
    shells: () => known([]),
    uidMin: () => known(1000),
    guarded: () => [0],
    forget: () => undefined,
  },
  audit: { state: async () => known(NO_AUDIT) },
  tls: { certificates: async () => unknown('not-observable', 'there is no network') },
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
  userId: () => known(null),
  groupId: () => known(null),
  findUserName: () => known(null),
  findGroupName: () => known(null),
  userName: () => undefined,
  groupName: () => undefined,
  forget: () => undefined,
  run: async () => ({ kind: 'not-started', message: 'nothing here' }),
}

const refuse = async (): Promise<{ kind: 'failed'; message: string }> => ({ kind: 'failed', message: 'nothing here' })

const NO_OPERATIONS: PackageOperations = { install: refuse, downgrade: refuse, remove: refuse, purge: refuse }

/** Makes a run a fix for resource types that change something other than the machine. */
export const NO_HANDS: Remediator = {
  services: { change: refuse },
  kernelModules: { change: refuse },
  parameters: { set: refuse },
  audit: { change: refuse },
  pamProfiles: { enable: refuse, enableFeatures: refuse },
  bootMenus: { generate: refuse },
  firewall: { change: refuse, load: refuse },
  mounts: { remount: refuse, checkFstab: refuse, reload: refuse },
  accounts: { change: refuse },
  writeFile: refuse,
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
  packages: { apt: NO_OPERATIONS, dnf: NO_OPERATIONS },
}
