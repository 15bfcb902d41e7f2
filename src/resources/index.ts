import { accounts } from './accounts/index.ts'
import { apply } from './apply/index.ts'
import { archive } from './archive/index.ts'
import { auditRule } from './audit_rule/index.ts'
import { certificate } from './certificate/index.ts'
import { cryptoPolicy } from './crypto_policy/index.ts'
import type { ResourceType } from '../resource-type/define.ts'
import { bootArgument } from './boot_argument/index.ts'
import { bootPassword } from './boot_password/index.ts'
import { command } from './command/index.ts'
import { dconfDatabases } from './dconf_databases/index.ts'
import { exec } from './exec/index.ts'
import { file } from './file/index.ts'
import { packageType } from './package/index.ts'
import { pam } from './pam/index.ts'
import { scaffold } from './scaffold/index.ts'
import { service } from './service/index.ts'
import { setting } from './setting/index.ts'
import { mac } from './mac/index.ts'
import { mount } from './mount/index.ts'
import { goss } from './goss/index.ts'
import { group } from './group/index.ts'
import { kernelOption } from './kernel_option/index.ts'
import { kernelModule } from './kernel_module/index.ts'
import { sysctl } from './sysctl/index.ts'
import { files } from './files/index.ts'
import { firewall } from './firewall/index.ts'
import { user } from './user/index.ts'
import { port } from './port/index.ts'
import { processType } from './process/index.ts'
import { interfaceType } from './interface/index.ts'

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
