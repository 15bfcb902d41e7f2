import {
  type Acceptance,
  acceptedFor,
  isAccepted,
  mapAcceptance,
  type ValueOrder,
  valuesNamed,
} from '../../model/acceptance.ts'
import { isNumericId } from '../../model/account-id.ts'
import type { Obstacle } from '../../model/decision.ts'
import type { Drift, UnknownProperty } from '../../model/drift.ts'
import { known, type Reading } from '../../model/observation.ts'
import type { Awaitable } from '../../resource-type/define.ts'

/** The two properties that name an account. */
export type AccountProperty = 'owner' | 'group'

/** Who owns something: the id that counts and the name to show, if it has one. */
export interface Account {
  readonly id: number
  readonly name: string | undefined
}

/** What an account is called where it is shown: its name, or its id if missing. */
export function accountName({ id, name }: Account): string {
  return name ?? String(id)
}

/** An owner or group as the policy writes it, with the id it stands for; null if no account has that name. */
interface DesiredAccount {
  readonly text: string
  readonly id: Reading<number | null>
}

function readAccount(
  text: string,
  lookUp: (name: string) => Awaitable<Reading<number | null>>,
): Awaitable<DesiredAccount> {
  if (isNumericId(text)) return { text, id: known(Number(text)) }
  const id = lookUp(text)
  return id instanceof Promise ? id.then((found) => ({ text, id: found })) : { text, id }
}

/** What stands for an account among the paths that resources provide and fixes miss: no path begins so. */
export function accountKey(kind: 'user' | 'group', name: string): string {
  return `${kind} ${name}`
}

/** Why an account that an earlier resource may create, by itself or with a package, keeps a fix from being made. */
export function missingAccount(kind: 'user' | 'group', name: string): Obstacle {
  return {
    reason: `${kind} "${name}" does not exist`,
    missing: accountKey(kind, name),
    mayComeWithRequirement: true,
  }
}

/** That no account has the name of an owner or group. */
function noAccount(property: AccountProperty, name: string): string {
  return `${property === 'owner' ? 'user' : 'group'} "${name}" does not exist`
}

/** The owners or groups that a policy accepts: as it writes them, and by the ids they stand for. */
export interface DesiredAccounts {
  readonly written: string | Acceptance<string>
  readonly ids: Reading<Acceptance<number>>
  /** Names among them that no account has. */
  readonly missing: readonly string[]
}

/** Stands for the id of a name that no account has: nothing is owned by it, and nothing can be given to it. */
const NO_ID = -1

const IDS: ValueOrder<number> = { equals: (left, right) => left === right && left !== NO_ID }

/** Finds the ids of all owners or groups that a policy names. Answers at once where the user database does. */
export function readAccounts(
  written: string | Acceptance<string>,
  lookUp: (name: string) => Awaitable<Reading<number | null>>,
): Awaitable<DesiredAccounts> {
  if (typeof written === 'string') {
    const account = readAccount(written, lookUp)
    return account instanceof Promise ? account.then((found) => ofOne(written, found)) : ofOne(written, account)
  }
  return andAll(
    valuesNamed(written).map((text) => readAccount(text, lookUp)),
    (accounts) => ofSeveral(written, accounts),
  )
}

function ofOne(written: string, { id }: DesiredAccount): DesiredAccounts {
  if (id.kind === 'unknown') return { written, ids: id, missing: [] }
  return { written, ids: known({ is: id.value ?? NO_ID }), missing: id.value === null ? [written] : [] }
}

function ofSeveral(written: Acceptance<string>, accounts: readonly DesiredAccount[]): DesiredAccounts {
  const ids = new Map<string, number>()
  for (const { text, id } of accounts) {
    // One that cannot be looked up may be the very one that is there.
    if (id.kind === 'unknown') return { written, ids: id, missing: [] }
    ids.set(text, id.value ?? NO_ID)
  }
  const missing = [...ids].filter(([, id]) => id === NO_ID).map(([text]) => text)
  return { written, ids: known(mapAcceptance(written, (text) => ids.get(text) ?? NO_ID)), missing }
}

/** Goes on at once where nothing has to be waited for. */
function andAll<From, To>(values: readonly Awaitable<From>[], next: (values: readonly From[]) => To): Awaitable<To> {
  const ready: From[] = []
  for (const value of values) {
    if (value instanceof Promise) return Promise.all(values).then(next)
    ready.push(value)
  }
  return next(ready)
}

/** Compares the owners or groups that are accepted with the one that is there. */
export function compareAccounts(
  property: AccountProperty,
  { written, ids, missing }: DesiredAccounts,
  observed: Account,
): { readonly drift: readonly Drift[]; readonly unknown: readonly UnknownProperty[] } {
  if (ids.kind === 'unknown') return { drift: [], unknown: [{ property, reason: ids.reason, detail: ids.detail }] }
  if (isAccepted(IDS, ids.value, observed.id)) return { drift: [], unknown: [] }
  const drift = { property, desired: written, observed: accountName(observed) }
  return { drift: [missing.length === 0 ? drift : { ...drift, note: nobodies(property, missing) }], unknown: [] }
}

/** Whether an id is among those that are accepted, as far as they are known. */
export function acceptsId({ ids }: DesiredAccounts, id: number): boolean {
  return ids.kind === 'known' && isAccepted(IDS, ids.value, id)
}

/** Whether the policy names the account among those that it accepts; one that is not refused alone is not named. */
export function namesId({ ids }: DesiredAccounts, id: number): boolean {
  if (ids.kind === 'unknown' || id === NO_ID) return false
  return ids.value.is === id || ids.value.one_of?.includes(id) === true
}

/** The id that a fix gives: that which is there if it is accepted. Undefined if no accepted id exists. */
export function acceptedId({ ids }: DesiredAccounts, observed: Account | undefined): number | undefined {
  if (ids.kind === 'unknown') return undefined
  const id = acceptedFor(IDS, ids.value, observed?.id)
  return id === NO_ID ? undefined : id
}

/** What the drift of a mode says where `groupInsteadOfOthers` gives a group. */
export const GROUP_TOO = 'a fix also sets the first accepted group, whose programs would lose access'

/**
 * The group that a fix sets together with the mode `after`, or undefined where the group stays. A file of the group root that
 * others lose access to gets the first accepted group that exists: the programs that run with it, such as crontab, at,
 * unix_chkpwd and postgres, read it as one of the others until then. The group gets no permission that others did not have.
 */
export function groupInsteadOfOthers(
  group: DesiredAccounts | undefined,
  { gid, mode }: { readonly gid: number; readonly mode: number },
  after: number | undefined,
): number | undefined {
  if (group === undefined || after === undefined || gid !== 0 || !acceptsId(group, gid)) return undefined
  const ofGroup = (after >> 3) & 0o7
  const isLost = (ofGroup & mode & ~after) !== 0
  const isMore = (ofGroup & ~mode) !== 0
  const first = acceptedId(group, undefined)
  return isLost && !isMore && first !== gid ? first : undefined
}

/** Why no accepted owner or group can be set. */
export function accountsObstacles(
  property: AccountProperty,
  wanted: DesiredAccounts,
  observed: Account | undefined,
): readonly Obstacle[] {
  const { ids, missing } = wanted
  if (acceptedId(wanted, observed) !== undefined) return []
  if (ids.kind === 'unknown') return [{ reason: ids.detail }]
  if (missing.length === 0) return [{ reason: noNearest(property) }]
  const kind = property === 'owner' ? 'user' : 'group'
  const keys = missing.map((name) => accountKey(kind, name))
  return [{ reason: nobodies(property, missing), missing: keys, mayComeWithRequirement: true }]
}

/** Why a fix does not know what to write. */
export function noNearest(property: string): string {
  return `${property} has no nearest accepted value: say with "fix" which one a fix writes`
}

function nobodies(property: AccountProperty, names: readonly string[]): string {
  return names.map((name) => noAccount(property, name)).join('; ')
}
