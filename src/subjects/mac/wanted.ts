import type { Acceptance } from '../../model/acceptance.ts'

/** Desired state of AppArmor or SELinux; undefined properties are not managed. */
export interface MacDesired {
  readonly name: 'apparmor' | 'selinux'
  readonly profiles?: string | Acceptance<string> | undefined
  readonly minimum: number
  readonly confined?: boolean | undefined
  readonly mode?: string | Acceptance<string> | undefined
  readonly policy?: string | Acceptance<string> | undefined
  readonly booleans?: Readonly<Record<string, 'on' | 'off'>> | undefined
}
