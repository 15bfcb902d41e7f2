import type { Acceptance } from '../../../model/acceptance.ts'
import type { Obstacle } from '../../../model/decision.ts'
import type { Drift, UnknownProperty } from '../../../model/drift.ts'
import type { Reading } from '../../../model/observation.ts'
import type { PasswordClass } from '../account-files.ts'
import type { AccountCommand, AccountSet, UserAccount } from '../accounts.ts'
import type { Acl } from '../../../host/acl.ts'
import type { FileStat } from '../../../host/target.ts'
import type { ObservedList } from '../../shared/lists.ts'
import type { AgeingDesired, DesiredDays } from '../../shared/ageing.ts'

type DesiredText = string | Acceptance<string> | undefined
type DesiredPassword = PasswordClass | Acceptance<PasswordClass> | undefined

/** Which accounts or groups are meant. */
export interface AccountsFilter {
  readonly of: 'users' | 'groups'
  readonly who: 'all' | 'people' | 'system' | 'logins'
  readonly where_uid?: DesiredDays
  readonly where_gid?: DesiredDays
  readonly where_password?: DesiredPassword
  readonly where_shell?: 'valid' | 'invalid' | undefined
  readonly except?: readonly string[] | undefined
}

/** What a policy says of them. */
export interface AccountsDesired extends AccountsFilter, AgeingDesired {
  readonly name: string
  readonly unique?: readonly ('name' | 'uid' | 'gid')[] | undefined
  readonly only?: readonly string[] | undefined
  readonly shadowed?: boolean | undefined
  readonly password?: DesiredPassword
  readonly password_hash?: DesiredText
  readonly shell?: DesiredText
  readonly primary_group_exists?: boolean | undefined
  readonly home_exists?: boolean | undefined
  readonly home_owner?: 'self' | undefined
  readonly home_group?: 'primary' | undefined
  readonly home_mode?: DesiredText
  readonly home_excludes?: readonly string[] | undefined
  readonly dot_files?: readonly string[] | undefined
  readonly dot_files_owner?: 'self' | undefined
  readonly dot_files_group?: 'primary' | undefined
  readonly dot_files_mode?: DesiredText
}

/** Something that lies in a home. */
export interface HomeEntry {
  readonly name: string
  readonly stat: FileStat
}

/** What is at the path of a home. */
export type Home =
  | { readonly kind: 'absent' }
  | {
      readonly kind: 'present'
      readonly stat: FileStat
      readonly isLink: boolean
      /** What a rule names, and what begins with a dot; nothing where no rule asks. */
      readonly entries: Reading<readonly HomeEntry[]>
    }

/** The accounts of the machine, and what of it their rules need. */
export interface AccountsState {
  readonly set: AccountSet
  /** Those that are meant. */
  readonly users: Reading<readonly UserAccount[]>
  readonly homes: ReadonlyMap<string, Reading<Home>>
  /** The lists of homes and of what lies in them, by path, where one may say more than the mode. */
  readonly lists: ReadonlyMap<string, Reading<ObservedList>>
  /** Days since 1970. */
  readonly today: number
}

/** The new attributes of a home or of a file in it, which has to have the mode that was seen. */
export interface AttributeStep {
  readonly path: string
  readonly kind: 'directory' | 'file'
  readonly seenMode: number
  readonly uid: number
  readonly gid: number
  readonly mode: number
  /** The access control list that it gets. */
  readonly acl?: Acl
}

/** What a fix does, one account after another. */
export interface AccountsAction {
  readonly commands: readonly AccountCommand[]
  readonly attributes: readonly AttributeStep[]
}

/** What one rule comes to. */
export interface Finding {
  readonly drift: readonly Drift[]
  readonly unknown: readonly UnknownProperty[]
  readonly obstacles: readonly Obstacle[]
  readonly commands: readonly AccountCommand[]
  readonly attributes: readonly AttributeStep[]
  readonly warnings?: readonly string[]
}

/** That nothing differs. */
export const NO_FINDING: Finding = { drift: [], unknown: [], obstacles: [], commands: [], attributes: [] }

/** All findings as one. What cannot be read is said once for each property. */
export function joined(findings: readonly Finding[]): Finding {
  const unknown = new Map(findings.flatMap((each) => each.unknown.map((one) => [`${one.property} ${one.detail}`, one])))
  return {
    drift: findings.flatMap(({ drift }) => drift),
    unknown: [...unknown.values()],
    obstacles: findings.flatMap(({ obstacles }) => obstacles),
    commands: findings.flatMap(({ commands }) => commands),
    attributes: findings.flatMap(({ attributes }) => attributes),
    warnings: [...new Set(findings.flatMap(({ warnings = [] }) => warnings))],
  }
}
