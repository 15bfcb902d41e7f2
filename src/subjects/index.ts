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
import { setting } from './settings/index.ts'
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
  /** How things of each kind that its writers change are restored, by the kind that journals name. */
  readonly undo?: Readonly<Record<string, object>>
}

/** Every subject. Without its line here and its folder a subject does not exist. */
export const subjects: readonly RegisteredSubject[] = [
  { name: 'files', types: [file, files] },
  { name: 'archives', types: [archive] },
  { name: 'scaffolds', types: [scaffold] },
  { name: 'packages', types: [packageType], undo: { packages } },
  { name: 'services', types: [service], undo: { service: unit, running } },
  { name: 'kernel-modules', types: [kernelModule, kernelOption], undo: { module } },
  { name: 'commands', types: [exec, command] },
  { name: 'policies', types: [apply] },
  { name: 'sysctl', types: [sysctl], undo: { parameter } },
  { name: 'settings', types: [setting] },
  { name: 'mounts', types: [mount], undo: { mount: mountPoint } },
  { name: 'pam', types: [pam] },
  { name: 'accounts', types: [user, group, accounts], undo: { records } },
  { name: 'auditd', types: [auditRule] },
  { name: 'firewall', types: [firewall], undo: { rules } },
  { name: 'boot', types: [bootArgument, bootPassword] },
  { name: 'mac', types: [mac] },
  { name: 'crypto-policy', types: [cryptoPolicy] },
  { name: 'desktop', types: [dconfDatabases] },
  { name: 'goss', types: [goss] },
  { name: 'sockets', types: [port] },
  { name: 'processes', types: [processType] },
  { name: 'network', types: [interfaceType] },
  { name: 'certificates', types: [certificate] },
]

/** Every resource type a policy can use, in the order the reference lists them. */
export const resourceTypes: readonly ResourceType[] = subjects.flatMap(({ types }) => types)
