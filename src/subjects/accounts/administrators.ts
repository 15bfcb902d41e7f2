import type { AccountSet, UserAccount, UserGroup } from './accounts.ts'
import { refusesLogin } from '../shared/login-shell.ts'

/** Groups that the default sudoers of distributions give root. Sudoers entries of single users are not read. */
const ADMIN_GROUPS: ReadonlySet<string> = new Set(['sudo', 'wheel', 'admin'])

/** Risk of a change that locks one administrator out while others remain. */
export const ENDS_ADMINISTRATOR = 'an administrator can no longer log in or become root'

/**
 * Accounts that can log in and become root: root if it has a password, and unexpired members of administrator groups with a login
 * shell.
 */
export function administrators(
  { users, groups }: Pick<AccountSet, 'users' | 'groups'>,
  today: number,
): readonly UserAccount[] {
  const ruling = groups.filter(({ name }) => ADMIN_GROUPS.has(name))
  return users.filter((user) => {
    if (refusesLogin(user.shell) || hasEnded(user, today)) return false
    if (user.uid === 0) return user.secret.kind === 'known' && user.secret.value.password.class === 'set'
    return ruling.some(({ gid, members }) => user.gid === gid || members.includes(user.name))
  })
}

export function isAdminGroup({ name }: Pick<UserGroup, 'name'>): boolean {
  return ADMIN_GROUPS.has(name)
}

/** Administrators through this group alone, if no other administrators exist; empty for any other group. */
export function lastAdministrators(set: AccountSet, group: UserGroup, today: number): readonly string[] {
  if (!ADMIN_GROUPS.has(group.name)) return []
  const others = administrators({ ...set, groups: set.groups.filter((each) => each !== group) }, today)
  return others.length > 0 ? [] : administrators(set, today).map(({ name }) => name)
}

/** Whether the account has expired, or its password has been expired for more than `inactive` days. @see shadow(5) */
function hasEnded({ secret }: UserAccount, today: number): boolean {
  if (secret.kind === 'unknown' || secret.value.ageing === null) return false
  const { lastChange, max, inactive, expires } = secret.value.ageing
  if (expires !== undefined && expires >= 0 && expires <= today) return true
  const isLimited = lastChange !== undefined && max !== undefined && max >= 0 && inactive !== undefined && inactive >= 0
  return isLimited && lastChange + max + inactive < today
}
