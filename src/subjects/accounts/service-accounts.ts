import { known, type Reading } from '../../model/observation.ts'
import type { Target } from '../../host/target.ts'
import { ACCOUNTS } from './subject.ts'
import type { DesiredAccounts } from '../shared/accounts.ts'
import { refusesLogin } from '../shared/login-shell.ts'

/** The ids of service accounts and of the groups that only they have; without root. */
export interface ServiceIds {
  readonly owner: readonly number[]
  readonly group: readonly number[]
  readonly groups: readonly number[]
}

/** Reads the service accounts: those below UID_MIN, whose shell may be that of `postgres`, and those that cannot log in. */
export function readServiceIds(target: Pick<Target, 'open'>): Reading<ServiceIds> {
  const accounts = target.open(ACCOUNTS)
  const [set, uidMin] = [accounts.read(), accounts.uidMin()]
  if (set.kind === 'unknown') return set
  if (uidMin.kind === 'unknown') return uidMin
  const { users, groups } = set.value
  const services = users.filter(({ uid, shell }) => uid !== 0 && (uid < uidMin.value || refusesLogin(shell)))
  const others = users.filter((user) => !services.includes(user))
  const isOf = (some: typeof users, gid: number): boolean =>
    some.some((user) => user.gid === gid) ||
    groups.some((group) => group.gid === gid && some.some(({ name }) => group.members.includes(name)))
  const ofServices = groups.map(({ gid }) => gid).filter((gid) => gid !== 0 && isOf(services, gid))
  return known({
    owner: services.map(({ uid }) => uid),
    group: ofServices.filter((gid) => !isOf(others, gid)),
    groups: ofServices,
  })
}

/** Accepts further ids beside those that the policy names; a fix still writes one that it names. */
export function acceptingToo(accounts: DesiredAccounts, ids: readonly number[]): DesiredAccounts {
  if (accounts.ids.kind === 'unknown') return accounts
  const { is, one_of: named = is === undefined ? [] : [is], ...rest } = accounts.ids.value
  return named.length === 0 ? accounts : { ...accounts, ids: known({ ...rest, one_of: [...named, ...ids] }) }
}
