import { accounts } from './accounts/all/index.ts'
import { apply } from './policies/index.ts'
import { archive } from './archives/index.ts'
import { auditRule } from './auditd/index.ts'
import { certificate } from './certificates/index.ts'
import { cryptoPolicy } from './crypto-policy/index.ts'
import type { ResourceType } from '../resource-type/define.ts'
import { module } from './kernel-modules/undo.ts'
import { mount as mountPoint } from './mounts/undo.ts'
import { packages } from './packages/undo.ts'
import { parameter } from './sysctl/undo.ts'
import { records } from './accounts/undo.ts'
import { rules } from './firewall/undo.ts'
import { running } from './services/undo-running.ts'
import { service as unit } from './services/undo.ts'
import { auditd } from './auditd/settings.ts'
import { dconf } from './desktop/dconf.ts'
import { faillock } from './pam/settings/faillock.ts'
import { gdm } from './desktop/gdm.ts'
import { grub } from './boot/grub.ts'
import { limits } from './pam/settings/limits/index.ts'
import { loginDefs } from './accounts/login-defs.ts'
import { pwquality } from './pam/settings/pwquality.ts'
import { selinux } from './mac/selinux-settings.ts'
import { shellSettings } from './shell-startup/index.ts'
import { sshBanner } from './sshd/banner.ts'
import { sshd } from './sshd/index.ts'
import { sudoers } from './sudo/index.ts'
import { systemdManager } from './services/settings.ts'
import { useradd } from './accounts/useradd.ts'
import type { Surface } from '../settings/surface.ts'
import { bootArgument } from './boot/argument/index.ts'
import { bootPassword } from './boot/password/index.ts'
import { command } from './commands/command/index.ts'
import { dconfDatabases } from './desktop/index.ts'
import { exec } from './commands/exec/index.ts'
import { file } from './files/file/index.ts'
import { packageType } from './packages/index.ts'
import { pam } from './pam/index.ts'
import { scaffold } from './scaffolds/index.ts'
import { service } from './services/index.ts'
import { settingType } from './settings/index.ts'
import { otherSurfaces } from './settings/surfaces.ts'
import { mac } from './mac/index.ts'
import { mount } from './mounts/index.ts'
import { goss } from './goss/index.ts'
import { group } from './accounts/group/index.ts'
import { kernelOption } from './kernel-modules/option/index.ts'
import { kernelModule } from './kernel-modules/module/index.ts'
import { sysctl } from './sysctl/index.ts'
import { files } from './files/walk/index.ts'
import { firewall } from './firewall/index.ts'
import { user } from './accounts/user/index.ts'
import { port } from './sockets/index.ts'
import { processType } from './processes/index.ts'
import { interfaceType } from './network/index.ts'

/** What the program knows of a subject. */
interface RegisteredSubject {
  readonly name: string
  readonly types: readonly ResourceType[]
  /** How the configuration of its programs is read, for `setting`. */
  readonly surfaces?: readonly Surface[]
  /** How things of each kind that its writers change are restored, by the kind that journals name. */
  readonly undo?: Readonly<Record<string, object>>
}

/** Every subject but `setting`. Without its line here and its folder a subject does not exist. */
const known: readonly RegisteredSubject[] = [
  { name: 'files', types: [file, files] },
  { name: 'archives', types: [archive] },
  { name: 'scaffolds', types: [scaffold] },
  { name: 'packages', types: [packageType], undo: { packages } },
  { name: 'services', types: [service], surfaces: [systemdManager], undo: { service: unit, running } },
  { name: 'kernel-modules', types: [kernelModule, kernelOption], undo: { module } },
  { name: 'commands', types: [exec, command] },
  { name: 'policies', types: [apply] },
  { name: 'sysctl', types: [sysctl], undo: { parameter } },
  { name: 'mounts', types: [mount], undo: { mount: mountPoint } },
  { name: 'pam', types: [pam], surfaces: [pwquality, faillock, limits] },
  { name: 'accounts', types: [user, group, accounts], surfaces: [loginDefs, useradd], undo: { records } },
  { name: 'auditd', types: [auditRule], surfaces: [auditd] },
  { name: 'firewall', types: [firewall], undo: { rules } },
  { name: 'shell-startup', types: [], surfaces: [shellSettings] },
  { name: 'sshd', types: [], surfaces: [sshd, sshBanner] },
  { name: 'sudo', types: [], surfaces: [sudoers] },
  { name: 'boot', types: [bootArgument, bootPassword], surfaces: [grub] },
  { name: 'mac', types: [mac], surfaces: [selinux] },
  { name: 'crypto-policy', types: [cryptoPolicy] },
  { name: 'desktop', types: [dconfDatabases], surfaces: [gdm, dconf] },
  { name: 'goss', types: [goss] },
  { name: 'sockets', types: [port] },
  { name: 'processes', types: [processType] },
  { name: 'network', types: [interfaceType] },
  { name: 'certificates', types: [certificate] },
]

/** Every surface of `setting`. */
export const surfaces: readonly Surface[] = [...otherSurfaces, ...known.flatMap((subject) => subject.surfaces ?? [])]

/** Every subject. */
export const subjects: readonly RegisteredSubject[] = [...known, { name: 'settings', types: [settingType(surfaces)] }]

/** Every resource type a policy can use, in the order the reference lists them. */
export const resourceTypes: readonly ResourceType[] = subjects.flatMap(({ types }) => types)
