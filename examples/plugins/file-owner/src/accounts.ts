import { known, type Reading, type Target } from 'driftgate'
import type { FileOwner } from './properties.ts'

/** A user or group. The id is null where no account has the name, the name where none has the id. */
export interface Account {
  readonly id: number | null
  readonly name: string | null
}

/** The account a policy asks for by name or id; undefined where it asks for none. */
export type FoundAccount = Account | undefined

export async function findUser(target: Target, { user, uid }: FileOwner): Promise<Reading<FoundAccount>> {
  if (user !== undefined) return byName(user, await target.names.userId(user))
  if (uid !== undefined) return byId(uid, await target.names.findUserName(uid))
  return known(undefined)
}

export async function findGroup(target: Target, { group, gid }: FileOwner): Promise<Reading<FoundAccount>> {
  if (group !== undefined) return byName(group, await target.names.groupId(group))
  if (gid !== undefined) return byId(gid, await target.names.findGroupName(gid))
  return known(undefined)
}

function byName(name: string, id: Reading<number | null>): Reading<Account> {
  return id.kind === 'known' ? known({ id: id.value, name }) : id
}

function byId(id: number, name: Reading<string | null>): Reading<Account> {
  return name.kind === 'known' ? known({ id, name: name.value }) : name
}
