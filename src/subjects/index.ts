import type { ResourceType } from '../resource-type/define.ts'
import type { Surface } from '../settings/surface.ts'

/** Loads a part of a subject when it is first used. */
type Loader<Part> = () => Promise<Part>

/** What the program knows of a subject before it is used. */
interface RegisteredSubject {
  readonly name: string
  readonly types?: Readonly<Record<string, Loader<ResourceType>>>
  /** How the configuration of its programs is read, for `setting`. */
  readonly surfaces?: readonly Loader<Surface>[]
  /** How things of each kind that its writers change are restored, by the kind that journals name. */
  readonly undo?: Readonly<Record<string, Loader<object>>>
}

/** Every subject, in the order of the reference. Without its line here and its folder a subject does not exist. */
const subjects: readonly RegisteredSubject[] = [
  {
    name: 'files',
    types: {
      file: async () => (await import('./files/file/index.ts')).file,
      files: async () => (await import('./files/walk/index.ts')).files,
    },
  },
  { name: 'archives', types: { archive: async () => (await import('./archives/index.ts')).archive } },
  { name: 'scaffolds', types: { scaffold: async () => (await import('./scaffolds/index.ts')).scaffold } },
  {
    name: 'packages',
    types: { package: async () => (await import('./packages/index.ts')).packageType },
    undo: { packages: async () => (await import('./packages/undo.ts')).packages },
  },
  {
    name: 'services',
    types: { service: async () => (await import('./services/index.ts')).service },
    surfaces: [async () => (await import('./services/settings.ts')).systemdManager],
    undo: {
      service: async () => (await import('./services/undo.ts')).service,
      running: async () => (await import('./services/undo-running.ts')).running,
    },
  },
  {
    name: 'kernel-modules',
    types: {
      kernel_module: async () => (await import('./kernel-modules/module/index.ts')).kernelModule,
      kernel_option: async () => (await import('./kernel-modules/option/index.ts')).kernelOption,
    },
    undo: { module: async () => (await import('./kernel-modules/undo.ts')).module },
  },
  {
    name: 'commands',
    types: {
      exec: async () => (await import('./commands/exec/index.ts')).exec,
      command: async () => (await import('./commands/command/index.ts')).command,
    },
  },
  { name: 'policies', types: { apply: async () => (await import('./policies/index.ts')).apply } },
  {
    name: 'sysctl',
    types: { sysctl: async () => (await import('./sysctl/index.ts')).sysctl },
    undo: { parameter: async () => (await import('./sysctl/undo.ts')).parameter },
  },
  {
    name: 'mounts',
    types: { mount: async () => (await import('./mounts/index.ts')).mount },
    undo: { mount: async () => (await import('./mounts/undo.ts')).mount },
  },
  {
    name: 'pam',
    types: { pam: async () => (await import('./pam/index.ts')).pam },
    surfaces: [
      async () => (await import('./pam/settings/pwquality.ts')).pwquality,
      async () => (await import('./pam/settings/faillock.ts')).faillock,
      async () => (await import('./pam/settings/motd.ts')).motd,
      async () => (await import('./pam/settings/motd.ts')).motdScripts,
      async () => (await import('./pam/settings/limits/index.ts')).limits,
    ],
  },
  {
    name: 'accounts',
    types: {
      user: async () => (await import('./accounts/user/index.ts')).user,
      group: async () => (await import('./accounts/group/index.ts')).group,
      accounts: async () => (await import('./accounts/all/index.ts')).accounts,
    },
    surfaces: [
      async () => (await import('./accounts/login-defs.ts')).loginDefs,
      async () => (await import('./accounts/useradd.ts')).useradd,
    ],
    undo: { records: async () => (await import('./accounts/undo.ts')).records },
  },
  {
    name: 'auditd',
    types: { audit_rule: async () => (await import('./auditd/index.ts')).auditRule },
    surfaces: [async () => (await import('./auditd/settings.ts')).auditd],
  },
  {
    name: 'firewall',
    types: { firewall: async () => (await import('./firewall/index.ts')).firewall },
    undo: { rules: async () => (await import('./firewall/undo.ts')).rules },
  },
  { name: 'shell-startup', surfaces: [async () => (await import('./shell-startup/index.ts')).shellSettings] },
  {
    name: 'sshd',
    surfaces: [
      async () => (await import('./sshd/index.ts')).sshd,
      async () => (await import('./sshd/banner.ts')).sshBanner,
      async () => (await import('./sshd/client/index.ts')).sshClient,
    ],
  },
  { name: 'sudo', surfaces: [async () => (await import('./sudo/index.ts')).sudoers] },
  {
    name: 'boot',
    types: {
      boot_argument: async () => (await import('./boot/argument/index.ts')).bootArgument,
      boot_password: async () => (await import('./boot/password/index.ts')).bootPassword,
    },
    surfaces: [async () => (await import('./boot/grub.ts')).grub],
  },
  {
    name: 'mac',
    types: { mac: async () => (await import('./mac/index.ts')).mac },
    surfaces: [async () => (await import('./mac/selinux-settings.ts')).selinux],
  },
  {
    name: 'crypto-policy',
    types: { crypto_policy: async () => (await import('./crypto-policy/index.ts')).cryptoPolicy },
  },
  {
    name: 'desktop',
    types: { dconf_databases: async () => (await import('./desktop/index.ts')).dconfDatabases },
    surfaces: [
      async () => (await import('./desktop/gdm.ts')).gdm,
      async () => (await import('./desktop/dconf.ts')).dconf,
    ],
  },
  { name: 'goss', types: { goss: async () => (await import('./goss/index.ts')).goss } },
  { name: 'sockets', types: { port: async () => (await import('./sockets/index.ts')).port } },
  { name: 'processes', types: { process: async () => (await import('./processes/index.ts')).processType } },
  { name: 'network', types: { interface: async () => (await import('./network/index.ts')).interfaceType } },
  { name: 'certificates', types: { certificate: async () => (await import('./certificates/index.ts')).certificate } },
  { name: 'settings', types: { setting: loadSetting } },
]

async function loadSetting(): Promise<ResourceType> {
  const [{ settingType }, surfaces] = await Promise.all([import('./settings/index.ts'), loadSurfaces()])
  return settingType(surfaces)
}

/** Every surface of `setting`. */
export async function loadSurfaces(): Promise<readonly Surface[]> {
  const { otherSurfaces } = await import('./settings/surfaces.ts')
  const loaders = subjects.flatMap(({ surfaces = [] }) => surfaces)
  return [...otherSurfaces, ...(await Promise.all(loaders.map((load) => load())))]
}

const typeLoaders = new Map(subjects.flatMap(({ types = {} }) => Object.entries(types)))

/** Names of every resource type that a policy can use, in the order of the reference. */
export const typeNames: readonly string[] = [...typeLoaders.keys()]

const loading = new Map<string, Promise<ResourceType>>()

/** The resource types with these names, which must exist. A type is loaded once, and always the same object. */
export function loadTypes(names: Iterable<string> = typeNames): Promise<readonly ResourceType[]> {
  return Promise.all(Array.from(new Set(names), loadType))
}

function loadType(name: string): Promise<ResourceType> {
  const load = typeLoaders.get(name)
  if (load === undefined) throw new Error(`no subject has a resource type "${name}"`)
  const type = loading.get(name) ?? load()
  loading.set(name, type)
  return type
}

/** How a thing of this kind is restored; undefined for a kind of no subject. */
export async function loadUndo(kind: string): Promise<object | undefined> {
  return await subjects.find(({ undo = {} }) => Object.hasOwn(undo, kind))?.undo?.[kind]?.()
}
