import { dayOf } from '../../../model/duration.ts'
import { ACCOUNTS } from '../subject.ts'
import { acceptedFor } from '../../../model/acceptance.ts'
import type { Plan } from '../../../model/decision.ts'
import { absent, type Observation, present, unknown } from '../../../model/observation.ts'
import { TEXTS } from '../../../resource-type/text-order.ts'
import { placeOf, whoElse, type LocalAccounts } from '../accounts.ts'
import type { HasFiles, Target } from '../../../host/target.ts'
import { acceptanceOf } from '../../shared/acceptance-of.ts'
import { administrators } from '../administrators.ts'
import type { AccountAction } from '../account-commands.ts'
import { filesOfGroup } from '../home-files.ts'
import { decideUser, type UserState, type UserDesired } from './decide.ts'

/** Looks the account up where the system would find it first; directories such as LDAP are not asked. */
export function observeUser(
  target: Pick<Target, 'kind' | 'open'> & HasFiles<'stat' | 'lstat' | 'listTree'>,
  desired: UserDesired,
): Observation<UserState> {
  const {
    open,
    files: { stat },
  } = target
  const { name, shell: wantedShell } = desired
  const accounts = open(ACCOUNTS)
  const set = accounts.read()
  if (set.kind === 'unknown') return set
  const { users, groups } = set.value
  const [account, ...hidden] = users.filter((each) => each.name === name)
  if (account === undefined) {
    const others = whoElse(set.value)
    return others === undefined ? absent() : unknown('not-observable', `${name} is not in a local source; ${others}`)
  }
  const shell = wantedShell === undefined ? undefined : acceptedFor(TEXTS, acceptanceOf(wantedShell), account.shell)
  const today = dayOf(Date.now())
  const ruling = administrators(set.value, today)
  const isAdministrator = ruling.includes(account)
  const state = {
    account,
    hidden: hidden.map(({ origin }) => placeOf(origin)),
    groups,
    isGuarded: accounts.guarded().includes(account.uid) || (isAdministrator && ruling.length === 1),
    isAdministrator,
    hasShell: shell === undefined || (isListed(accounts, shell) && stat(shell).kind === 'present'),
    today,
  }
  // Below a root directory the records alone are changed.
  const changesGroup =
    target.kind === 'local' &&
    desired.group !== undefined &&
    givesGroup(decideUser(desired, { kind: 'present', state, context: undefined }).plan)
  const files = changesGroup ? filesOfGroup(target, account) : undefined
  return present(files?.kind === 'known' ? { ...state, filesOfGroup: files.value.length } : state)
}

function givesGroup(plan: Plan<AccountAction>): boolean {
  return plan.kind === 'act' && plan.action.commands.some((command) => command.includes('-g'))
}

function isListed(accounts: LocalAccounts, shell: string): boolean {
  const shells = accounts.shells()
  return shells.kind === 'known' && shells.value.includes(shell)
}
