import { type Acceptance, isAccepted } from '../../../model/acceptance.ts'
import { known, type Reading, mapReading } from '../../../model/observation.ts'
import { NUMBERS } from '../../../model/value-orders.ts'
import { TEXTS } from '../../../resource-type/text-order.ts'
import type { AccountSet, LocalAccounts, UserAccount, UserGroup } from '../accounts.ts'
import { acceptanceOf } from '../../shared/acceptance-of.ts'
import type { DesiredDays } from '../ageing.ts'
import { refusesLogin, startsSession } from '../../shared/login-shell.ts'
import type { AccountsFilter } from './wanted.ts'

/** The account that stands for no owner. */
const NOBODY = 65_534

/** The accounts that a policy means; those that others of the same name hide are among them. */
export function selectUsers(
  filter: AccountsFilter,
  { users, groups }: AccountSet,
  machine: Pick<LocalAccounts, 'shells' | 'uidMin'>,
): Reading<readonly UserAccount[]> {
  const uidMin = filter.who === 'all' || filter.who === 'logins' ? known(0) : machine.uidMin()
  if (uidMin.kind === 'unknown') return uidMin
  const shells = filter.where_shell === undefined ? known([]) : machine.shells()
  if (shells.kind === 'unknown') return shells
  const selected: UserAccount[] = []
  for (const user of users) {
    const isMeant =
      isNamed(filter, user) &&
      isAmong(filter.who, user, uidMin.value) &&
      isNumber(filter.where_uid, user.uid) &&
      isNumber(filter.where_gid, user.gid) &&
      hasGroup(filter, user, groups) &&
      (filter.where_shell === undefined || (filter.where_shell === 'valid') === isValidShell(user.shell, shells.value))
    if (!isMeant) continue
    const password = passwordIs(filter.where_password, user)
    if (password.kind === 'unknown') return password
    if (password.value) selected.push(user)
  }
  return known(selected)
}

/** The groups that a policy means. */
export function selectGroups(filter: AccountsFilter, { groups }: AccountSet): readonly UserGroup[] {
  return groups.filter((group) => isNamed(filter, group) && isNumber(filter.where_gid, group.gid))
}

function isNamed({ except = [] }: AccountsFilter, { name }: { readonly name: string }): boolean {
  return !except.includes(name)
}

/** That account belongs to the system, and there is no highest uid of people above which an account would be neither. */
function isAmong(who: AccountsFilter['who'], { name, uid, shell }: UserAccount, uidMin: number): boolean {
  if (who === 'logins') return startsSession(shell)
  const isPersons = uid >= uidMin && uid !== NOBODY
  if (who === 'people') return isPersons && !refusesLogin(shell)
  return who === 'all' || (!isPersons && name !== 'root')
}

function hasGroup({ with_groups: names }: AccountsFilter, user: UserAccount, groups: readonly UserGroup[]): boolean {
  const isIn = ({ gid, members }: UserGroup): boolean => user.gid === gid || members.includes(user.name)
  return names === undefined || groups.some((group) => names.includes(group.name) && isIn(group))
}

function isNumber(wanted: DesiredDays, value: number): boolean {
  return wanted === undefined || isAccepted(NUMBERS, acceptanceOf(wanted), value)
}

/** One of shells(5) that lets a user in. Nothing stands for /bin/sh. */
function isValidShell(shell: string, shells: readonly string[]): boolean {
  return shells.includes(shell === '' ? '/bin/sh' : shell) && !refusesLogin(shell)
}

function passwordIs(wanted: string | Acceptance<string> | undefined, { secret }: UserAccount): Reading<boolean> {
  if (wanted === undefined) return known(true)
  return mapReading(secret, (value) => isAccepted(TEXTS, acceptanceOf(wanted), value.password.class))
}
