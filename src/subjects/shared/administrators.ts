import type { AccountSet, UserAccount, UserGroup } from '../accounts/accounts.ts'
import { refusesLogin } from './login-shell.ts'

/** Groups whose members become root with sudo as distributions ship it. Lines of sudoers for single users are not read. */
const ADMIN_GROUPS: ReadonlySet<string> = new Set(['sudo', 'wheel', 'admin'])

/** What makes a change risky that shuts an administrator out while others are left. */
export const ENDS_ADMINISTRATOR = 'an administrator cannot log in or become root any more then'

/**
 * The accounts that can log in and become root: root with a password, and members of the groups of administrators whose shell lets
 * them in and whose account has not ended.
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

/** Whether members of a group become root. */
export function isAdminGroup({ name }: Pick<UserGroup, 'name'>): boolean {
  return ADMIN_GROUPS.has(name)
}

/** Those who are administrators by this group alone, where no others are left without it; none for any other group. */
export function lastAdministrators(set: AccountSet, group: UserGroup, today: number): readonly string[] {
  if (!ADMIN_GROUPS.has(group.name)) return []
  const others = administrators({ ...set, groups: set.groups.filter((each) => each !== group) }, today)
  return others.length > 0 ? [] : administrators(set, today).map(({ name }) => name)
}

/** @see shadow(5): the password has to be changed after `max` days, and `inactive` days later the account is locked. */
function hasEnded({ secret }: UserAccount, today: number): boolean {
  if (secret.kind === 'unknown' || secret.value.ageing === null) return false
  const { lastChange, max, inactive, expires } = secret.value.ageing
  if (expires !== undefined && expires >= 0 && expires <= today) return true
  const isLimited = lastChange !== undefined && max !== undefined && max >= 0 && inactive !== undefined && inactive >= 0
  return isLimited && lastChange + max + inactive < today
}
