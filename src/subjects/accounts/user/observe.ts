import { ACCOUNTS } from '../subject.ts'
import { acceptedFor } from '../../../model/acceptance.ts'
import { absent, type Observation, present, unknown } from '../../../model/observation.ts'
import { TEXTS } from '../../../resource-type/text-order.ts'
import { placeOf, whoElse } from '../accounts.ts'
import type { Target } from '../../../host/target.ts'
import { acceptanceOf } from '../../shared/acceptance-of.ts'
import { administrators } from '../../shared/administrators.ts'
import type { UserState, UserWanted } from './decide.ts'
import type { LocalAccounts } from '../accounts.ts'

/** Looks the account up where the system would find it first; directories such as LDAP are not asked. */
export function observeUser(
  { open, stat }: Pick<Target, 'open' | 'stat'>,
  { name, shell: wantedShell }: Pick<UserWanted, 'name' | 'shell'>,
): Observation<UserState> {
  const accounts = open(ACCOUNTS)
  const set = accounts.read()
  if (set.kind === 'unknown') return set
  const { users, groups } = set.value
  const [account, ...hidden] = users.filter((each) => each.name === name)
  if (account === undefined) {
    const others = whoElse(set.value)
    return others === undefined ? absent() : unknown('not-observable', `${name} is in no local source; ${others}`)
  }
  const shell = wantedShell === undefined ? undefined : acceptedFor(TEXTS, acceptanceOf(wantedShell), account.shell)
  const today = Math.floor(Date.now() / DAY_MS)
  const ruling = administrators(set.value, today)
  const isAdministrator = ruling.includes(account)
  return present({
    account,
    hidden: hidden.map(({ origin }) => placeOf(origin)),
    groups,
    isGuarded: accounts.guarded().includes(account.uid) || (isAdministrator && ruling.length === 1),
    isAdministrator,
    hasShell: shell === undefined || (isListed(accounts, shell) && stat(shell).kind === 'present'),
    today,
  })
}

function isListed(accounts: LocalAccounts, shell: string): boolean {
  const shells = accounts.shells()
  return shells.kind === 'known' && shells.value.includes(shell)
}

const DAY_MS = 24 * 60 * 60 * 1000
