import type { Acceptance } from '../../../model/acceptance.ts'
import type { PasswordClass } from '../account-files.ts'
import type { UserAccount, UserGroup } from '../accounts.ts'
import type { AgeingDesired } from '../ageing.ts'

export type DesiredText = string | Acceptance<string> | undefined

/** Properties of an account in a policy; undefined properties are not managed. */
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

/** The first account of the name in lookup order. */
export interface UserState {
  readonly account: UserAccount
  /** Positions of shadowed accounts of the same name. */
  readonly hidden: readonly string[]
  readonly groups: readonly UserGroup[]
  /** Whether a fix must not lock the account out: root, the running user, and the last administrator. */
  readonly isGuarded: boolean
  /** Whether the user can log in and become root, and other users can as well. */
  readonly isAdministrator?: boolean
  /** Whether the shell that a fix would set is in /etc/shells and exists. */
  readonly hasShell: boolean
  /** Number of files in its home that get the new primary group; absent if a fix sets no primary group. */
  readonly filesOfGroup?: number
  /** Days since 1970. */
  readonly today: number
}

/** Options of usermod(8) or of chage(1). */
export interface UserStep {
  readonly program: 'usermod' | 'chage'
  readonly options: readonly string[]
  /** Whether they keep an administrator from logging in or becoming root. */
  readonly ends?: boolean
}

/** Why a fix refuses a change that could lock out root or the running user. */
export const LAST_WAY_IN = 'this could lock out root, an administrator or the current user'
