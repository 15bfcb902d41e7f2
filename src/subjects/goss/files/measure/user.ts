import { known, type Reading, unknown } from '../../../../model/observation.ts'
import { type AccountSet, type UserAccount, whoElse } from '../../../accounts/accounts.ts'
import type { Measured } from '../resource.ts'
import type { Attributes, MeasureContext } from './measure-type.ts'
import { numericNameElsewhere } from './numeric-name.ts'
import { ACCOUNTS } from '../../../accounts/subject.ts'

/** Measures an account from the first source that has it. Directories such as LDAP are queried only for the uid. */
export async function measureUser({ request: { id }, target }: MeasureContext): Promise<Reading<Attributes>> {
  const set = target.open(ACCOUNTS).read()
  if (set.kind === 'unknown') return set
  const account = set.value.users.find(({ name }) => name === id)
  if (account !== undefined) return known(ofAccount(account, set.value))
  const uid = await target.names.userId(id)
  if (uid.kind === 'unknown') return uid
  const { value } = uid
  if (value !== null) return known(ofForeign(id, value))
  return numericNameElsewhere(id, target) ?? known({ exists: () => known(false) })
}

function ofAccount(account: UserAccount, set: AccountSet): Attributes {
  return {
    exists: () => known(true),
    uid: () => known(account.uid),
    gid: () => known(account.gid),
    home: () => known(account.home),
    shell: () => known(account.shell),
    groups: () => groupsOf(account, set),
  }
}

/** The sorted names of all groups of the account. */
function groupsOf({ name, gid }: UserAccount, set: AccountSet): Measured {
  const others = whoElse(set)
  if (others !== undefined)
    return unknown('not-observable', `${name} may belong to groups from other sources; ${others}`)
  const own = set.groups.filter((group) => group.gid === gid || group.members.includes(name))
  return known([...new Set(own.map((group) => group.name))].toSorted())
}

function ofForeign(name: string, uid: number): Attributes {
  const elsewhere = (): Measured =>
    unknown('not-observable', `${name} is not a local account; only the uid is looked up for other accounts`)
  return {
    exists: () => known(true),
    uid: () => known(uid),
    gid: elsewhere,
    home: elsewhere,
    shell: elsewhere,
    groups: elsewhere,
  }
}
