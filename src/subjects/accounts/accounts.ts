import type { ApplyOutcome } from '../../model/decision.ts'
import type { Reading } from '../../model/observation.ts'
import type { Origin, PasswordState } from './account-files.ts'

/** The days that rule how long a password counts; what is undefined is not limited. */
export interface Ageing {
  /** Days since 1970; 0 where it has to be changed at the next login. */
  readonly lastChange: number | undefined
  readonly min: number | undefined
  readonly max: number | undefined
  readonly warn: number | undefined
  readonly inactive: number | undefined
  /** Days since 1970 on which the account ends. */
  readonly expires: number | undefined
}

/** What of an account stands where only root may look. */
export interface Secret {
  readonly password: PasswordState
  /** `null` where nothing says it. */
  readonly ageing: Ageing | null
}

/** An account. Hashes of passwords are never part of it. */
export interface UserAccount {
  readonly name: string
  readonly uid: number
  readonly gid: number
  readonly comment: string
  readonly home: string
  readonly shell: string
  readonly origin: Origin
  /** Whether /etc/passwd has it, which is what the tools of shadow change. */
  readonly isInPasswd: boolean
  /** Whether its password is kept apart from what is world-readable. */
  readonly isShadowed: boolean
  readonly secret: Reading<Secret>
}

/** A group, with its members by name; accounts whose primary group it is are not among them. */
export interface UserGroup {
  readonly name: string
  readonly gid: number
  readonly members: readonly string[]
  readonly origin: Origin
  readonly isInGroup: boolean
}

/** All accounts and groups of the machine in the order in which it finds them; those that an earlier one of the same name hides, too. */
export interface AccountSet {
  readonly users: readonly UserAccount[]
  readonly groups: readonly UserGroup[]
  /** Sources that nsswitch.conf names and that are not on this machine, such as `sss`, with the database. */
  readonly notAsked: readonly string[]
  /** What is left out of what was read, as sentences. */
  readonly leftOut: readonly string[]
}

/** The accounts of a machine, from what is on it: directories such as LDAP are never asked. Read once, and again after `forget`. */
export interface LocalAccounts {
  read(): Reading<AccountSet>
  /** The shells of /etc/shells. */
  shells(): Reading<readonly string[]>
  /** The members that gshadow has for a group: newgrp lets them in, though no login has the group. */
  shadowMembers(group: string): Reading<readonly string[]>
  /** The lowest uid of people. */
  uidMin(): Reading<number>
  /** The uids of the running user and of root: whom a fix must not lock out. */
  guarded(): readonly number[]
  forget(): void
}

/** A program of shadow that changes one account or group, with its arguments. */
export type AccountCommand = readonly [
  program: 'useradd' | 'usermod' | 'chage' | 'groupadd' | 'gpasswd',
  ...args: string[],
]

/** What a fix may do to accounts. */
export interface AccountControl {
  /** Runs these one after another, up to the first that fails. */
  change(commands: readonly AccountCommand[], signal: AbortSignal): Promise<ApplyOutcome>
}

/** Where something stands: `FILE:LINE`, or the file. */
export function placeOf({ file, line }: Origin): string {
  return line === undefined ? file : `${file}:${line}`
}

/** Whether an account of nsswitch's sources is known to exist nowhere: what else would have to be asked. */
export function whoElse({ notAsked }: Pick<AccountSet, 'notAsked'>): string | undefined {
  return notAsked.length === 0 ? undefined : `not asked: ${notAsked.join(', ')}`
}
