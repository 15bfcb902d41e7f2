import type { Acceptance } from '../../../model/acceptance.ts'
import type { Obstacle } from '../../../model/decision.ts'
import type { Drift, UnknownProperty } from '../../../model/drift.ts'
import type { PasswordClass } from '../account-files.ts'
import type { UserAccount, UserGroup } from '../accounts.ts'
import type { AgeingDesired } from '../../shared/ageing.ts'

/** A text that a policy accepts. */
export type DesiredText = string | Acceptance<string> | undefined

/** What a policy says of an account; what is undefined is not managed. */
export interface UserDesired extends AgeingDesired {
  readonly name: string
  readonly ensure: 'present' | 'absent'
  readonly if_absent: 'create' | 'drift' | 'compliant'
  readonly uid?: number | Acceptance<number> | undefined
  readonly group?: DesiredText
  readonly groups?: readonly string[] | Acceptance<readonly string[], string> | undefined
  readonly home?: DesiredText
  readonly shell?: DesiredText
  readonly comment?: DesiredText
  readonly password?: PasswordClass | Acceptance<PasswordClass> | undefined
  readonly password_hash?: DesiredText
  readonly expires?: DesiredText
  readonly create_home: boolean
  readonly system: boolean
}

/** The account as the system finds it first. */
export interface UserState {
  readonly account: UserAccount
  /** Where others of the same name stand, which are never found. */
  readonly hidden: readonly string[]
  /** All groups there are. */
  readonly groups: readonly UserGroup[]
  /** Whether a fix must not lock it out: root, the running user, and the last administrator. */
  readonly isGuarded: boolean
  /** Whether it can log in and become root, and others can. */
  readonly isAdministrator?: boolean
  /** Whether the shell that a fix would give is one of /etc/shells, and there. */
  readonly hasShell: boolean
  /** How many files of its home get the group that a fix gives it as its primary one; absent where it gives none. */
  readonly filesOfGroup?: number
  /** Days since 1970. */
  readonly today: number
}

/** What comparing a part of an account comes to. */
export interface Finding {
  readonly drift: readonly Drift[]
  readonly unknown: readonly UnknownProperty[]
  readonly obstacles: readonly Obstacle[]
  /** Options of usermod(8) and of chage(1) that take differences away. */
  readonly usermod: readonly string[]
  readonly chage: readonly string[]
  /** Whether that keeps an administrator from logging in or becoming root. */
  readonly ends?: boolean
}

/** That nothing differs. */
export const NO_FINDING: Finding = { drift: [], unknown: [], obstacles: [], usermod: [], chage: [] }

/** Two findings as one. */
export function merged(one: Finding, other: Finding): Finding {
  return {
    drift: [...one.drift, ...other.drift],
    unknown: [...one.unknown, ...other.unknown],
    obstacles: [...one.obstacles, ...other.obstacles],
    usermod: [...one.usermod, ...other.usermod],
    chage: [...one.chage, ...other.chage],
    ends: one.ends === true || other.ends === true,
  }
}

/** Why a fix does not do what would keep root or the running user out. */
export const LAST_WAY_IN = 'it may be the last login of root, an administrator or the current user'
