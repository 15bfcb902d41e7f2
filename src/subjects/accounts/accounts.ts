import type { ApplyOutcome } from '../../model/decision.ts'
import type { Reading } from '../../model/observation.ts'
import type { Origin, PasswordState } from './account-files.ts'

/** Password ageing limits; undefined values are unlimited. */
export interface Ageing {
  /** Days since 1970; 0 if the password must be changed at the next login. */
  readonly lastChange: number | undefined
  readonly min: number | undefined
  readonly max: number | undefined
  readonly warn: number | undefined
  readonly inactive: number | undefined
  /** Account expiry in days since 1970. */
  readonly expires: number | undefined
}

/** Account data that only root may read. */
export interface Secret {
  readonly password: PasswordState
  /** `null` if no source defines it. */
  readonly ageing: Ageing | null
}

/** An account, without password hashes. */
export interface UserAccount {
  readonly name: string
  readonly uid: number
  readonly gid: number
  readonly comment: string
  readonly home: string
  readonly shell: string
  readonly origin: Origin
  /** Whether the account is in /etc/passwd, which the shadow tools edit. */
  readonly isInPasswd: boolean
  /** Whether its password is not in a world-readable file. */
  readonly isShadowed: boolean
  readonly secret: Reading<Secret>
}

/** A group with its members by name, without accounts that have it as their primary group. */
export interface UserGroup {
  readonly name: string
  readonly gid: number
  readonly members: readonly string[]
  readonly origin: Origin
  readonly isInGroup: boolean
}

/** All accounts and groups of the machine in lookup order, including those that an earlier entry of the same name shadows. */
export interface AccountSet {
  readonly users: readonly UserAccount[]
  readonly groups: readonly UserGroup[]
  /** Sources in nsswitch.conf that are not local, such as `sss`, with their database. */
  readonly notAsked: readonly string[]
  /** Omitted parts of the sources, as sentences. */
  readonly leftOut: readonly string[]
}

/** Users whom gshadow gives a group. @see gshadow(5), newgrp(1) */
export interface GroupShadow {
  readonly members: readonly string[]
  readonly administrators: readonly string[]
  /** Whether any user with the password of the group obtains it. */
  readonly hasPassword: boolean
}

/** Local accounts of a machine; directories such as LDAP are never queried. Read once, and again after `forget`. */
export interface LocalAccounts {
  read(): Reading<AccountSet>
  shells(): Reading<readonly string[]>
  /** Users who obtain a group although their logins do not have it. */
  groupShadow(group: string): Reading<GroupShadow>
  /** The lowest uid of regular users. */
  uidMin(): Reading<number>
  /** The uids of the running user and of root, which a fix must not lock out. */
  guarded(): readonly number[]
  forget(): void
}

/** A shadow program that changes one account or group, with its arguments. */
export type AccountCommand = readonly [
  program: 'useradd' | 'usermod' | 'chage' | 'groupadd' | 'gpasswd',
  ...args: string[],
]

/** Account operations of a fix. */
export interface AccountControl {
  /** Runs the commands in order, until one fails. */
  change(commands: readonly AccountCommand[], signal: AbortSignal): Promise<ApplyOutcome>
}

/** Formats a source: `FILE:LINE`, or the file. */
export function placeOf({ file, line }: Origin): string {
  return line === undefined ? file : `${file}:${line}`
}

/** Whether an account of nsswitch's sources is known to exist nowhere: what else would have to be asked. */
export function whoElse({ notAsked }: Pick<AccountSet, 'notAsked'>): string | undefined {
  return notAsked.length === 0 ? undefined : `not queried: ${notAsked.join(', ')}`
}
