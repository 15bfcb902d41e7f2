import type { Acceptance } from '../../../model/acceptance.ts'
import type { Reading } from '../../../model/observation.ts'
import { mergeParts, type PartialDecision } from '../../../model/partial-decision.ts'
import type { PasswordClass } from '../account-files.ts'
import type { AccountCommand, AccountSet, UserAccount } from '../accounts.ts'
import type { Acl } from '../../../host/acl.ts'
import type { FileStat } from '../../../host/target.ts'
import type { ObservedList } from '../../shared/lists.ts'
import type { AgeingDesired, DesiredDays } from '../ageing.ts'

type DesiredText = string | Acceptance<string> | undefined
type DesiredPassword = PasswordClass | Acceptance<PasswordClass> | undefined

export interface AccountsFilter {
  readonly of: 'users' | 'groups'
  readonly who: 'all' | 'people' | 'system' | 'logins'
  readonly where_uid?: DesiredDays
  readonly where_gid?: DesiredDays
  readonly where_password?: DesiredPassword
  readonly where_shell?: 'valid' | 'invalid' | undefined
  readonly except?: readonly string[] | undefined
  readonly named_by?: 'chrony_user' | 'nginx_user' | undefined
  readonly with_groups?: readonly string[] | undefined
}

/** Properties of accounts or groups in a policy. */
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

export interface HomeEntry {
  readonly name: string
  readonly stat: FileStat
  /** The file that a link leads to. */
  readonly target?: FileStat
}

/** Object at the path of a home. */
export type Home =
  | { readonly kind: 'absent' }
  | {
      readonly kind: 'present'
      readonly stat: FileStat
      readonly isLink: boolean
      /** Entries that a rule names, and dot files; empty if no rule needs them. */
      readonly entries: Reading<readonly HomeEntry[]>
    }

/** Accounts of the machine, with the data that the rules need. */
export interface AccountsState {
  readonly set: AccountSet
  /** Accounts that match the filter. */
  readonly users: Reading<readonly UserAccount[]>
  readonly homes: ReadonlyMap<string, Reading<Home>>
  /** Access control lists of homes and their entries, by path, where they may grant more than the mode. */
  readonly lists: ReadonlyMap<string, Reading<ObservedList>>
  /** Days since 1970. */
  readonly today: number
}

/** New attributes of a home or a file in it; its mode must still be the observed one. */
export interface AttributeStep {
  readonly path: string
  readonly kind: 'directory' | 'file'
  readonly seenMode: number
  readonly uid: number
  readonly gid: number
  readonly mode: number
  /** Access control list to set. */
  readonly acl?: Acl
}

export interface AccountsAction {
  readonly commands: readonly AccountCommand[]
  readonly attributes: readonly AttributeStep[]
}

/** Result of one rule; a fix carries out the steps, then the attributes. */
export interface AccountsPart extends PartialDecision<AccountCommand> {
  readonly attributes?: readonly AttributeStep[]
  readonly warnings?: readonly string[]
}

/** Merges parts. An unreadable property is reported once. */
export function mergeRules(parts: readonly AccountsPart[]): AccountsPart {
  const merged = mergeParts(parts)
  const unknown = new Map(merged.unknown.map((one) => [`${one.property} ${one.detail}`, one]))
  return {
    ...merged,
    unknown: [...unknown.values()],
    attributes: parts.flatMap(({ attributes = [] }) => attributes),
    warnings: [...new Set(parts.flatMap(({ warnings = [] }) => warnings))],
  }
}
