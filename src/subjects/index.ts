import { accounts } from './accounts/all/index.ts'
import { apply } from './policies/index.ts'
import { archive } from './archives/index.ts'
import { auditRule } from './auditd/index.ts'
import { certificate } from './certificates/index.ts'
import { cryptoPolicy } from './crypto-policy/index.ts'
import type { ResourceType } from '../resource-type/define.ts'
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

/** Every resource type a policy can use, in the order the reference lists them. */
export const resourceTypes: readonly ResourceType[] = [
  file,
  archive,
  scaffold,
  packageType,
  service,
  kernelModule,
  exec,
  apply,
  sysctl,
  setting,
  mount,
  command,
  files,
  pam,
  user,
  group,
  auditRule,
  firewall,
  kernelOption,
  bootArgument,
  bootPassword,
  accounts,
  mac,
  cryptoPolicy,
  dconfDatabases,
  goss,
  port,
  processType,
  interfaceType,
  certificate,
]
