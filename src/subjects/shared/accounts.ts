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
import { known, type Reading } from '../../model/observation.ts'
import { AS_WANTED, drifted, type PartialDecision, undecided } from '../../model/partial-decision.ts'
import type { Awaitable } from '../../resource-type/define.ts'
import { noNearest } from './acceptance-of.ts'

export type AccountProperty = 'owner' | 'group'

/** Owner or group: the effective id, and the name if the id has one. */
export interface Account {
  readonly id: number
  readonly name: string | undefined
}

/** Display name of an account: its name, or its id if missing. */
export function accountName({ id, name }: Account): string {
  return name ?? String(id)
}

/** Owner or group as written in the policy, with its id; null if the account does not exist. */
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

/** Key of an account among the provided and missing paths; no path starts like this. */
export function accountKey(kind: 'user' | 'group', name: string): string {
  return `${kind} ${name}`
}

/** Obstacle for an account that an earlier resource may create, directly or with a package. */
export function missingAccount(kind: 'user' | 'group', name: string): Obstacle {
  return {
    reason: `${kind} "${name}" does not exist`,
    missing: accountKey(kind, name),
    mayComeWithRequirement: true,
  }
}

function noAccount(property: AccountProperty, name: string): string {
  return `${property === 'owner' ? 'user' : 'group'} "${name}" does not exist`
}

/** Accepted owners or groups: as written, and by id. */
export interface DesiredAccounts {
  readonly written: string | Acceptance<string>
  readonly ids: Reading<Acceptance<number>>
  /** Accepted names without an account. */
  readonly missing: readonly string[]
}

/** Id of a name without an account: it equals no id and cannot be set. */
const NO_ID = -1

const IDS: ValueOrder<number> = { equals: (left, right) => left === right && left !== NO_ID }

/** Resolves all owners or groups of a policy to ids. Synchronous if the user database is. */
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
    // An account whose lookup fails may be the observed one.
    if (id.kind === 'unknown') return { written, ids: id, missing: [] }
    ids.set(text, id.value ?? NO_ID)
  }
  const missing = [...ids].filter(([, id]) => id === NO_ID).map(([text]) => text)
  return { written, ids: known(mapAcceptance(written, (text) => ids.get(text) ?? NO_ID)), missing }
}

/** Continues synchronously if all values are ready. */
function andAll<From, To>(values: readonly Awaitable<From>[], next: (values: readonly From[]) => To): Awaitable<To> {
  const ready: From[] = []
  for (const value of values) {
    if (value instanceof Promise) return Promise.all(values).then(next)
    ready.push(value)
  }
  return next(ready)
}

/** Compares the accepted owners or groups with the observed one. */
export function compareAccounts(
  property: AccountProperty,
  { written, ids, missing }: DesiredAccounts,
  observed: Account,
): PartialDecision {
  if (ids.kind === 'unknown') return undecided(property, ids)
  if (isAccepted(IDS, ids.value, observed.id)) return AS_WANTED
  const drift = { property, desired: written, observed: accountName(observed) }
  return drifted(missing.length === 0 ? drift : { ...drift, note: describeMissingAccounts(property, missing) })
}

/** Whether the id is known to be accepted. */
export function acceptsId({ ids }: DesiredAccounts, id: number): boolean {
  return ids.kind === 'known' && isAccepted(IDS, ids.value, id)
}

/** Whether the policy accepts the account by name or id, rather than only not excluding it. */
export function namesId({ ids }: DesiredAccounts, id: number): boolean {
  if (ids.kind === 'unknown' || id === NO_ID) return false
  return ids.value.is === id || ids.value.one_of?.includes(id) === true
}

/** Id that a fix sets: the observed one if accepted. Undefined if no accepted id exists. */
export function acceptedId({ ids }: DesiredAccounts, observed: Account | undefined): number | undefined {
  if (ids.kind === 'unknown') return undefined
  const id = acceptedFor(IDS, ids.value, observed?.id)
  return id === NO_ID ? undefined : id
}

/** What the drift of a mode says where `groupInsteadOfOthers` gives a group. */
export const GROUP_TOO = 'a fix also sets the first accepted group, because programs that run with it would lose access'

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
  return [{ reason: describeMissingAccounts(property, missing), missing: keys, mayComeWithRequirement: true }]
}

function describeMissingAccounts(property: AccountProperty, names: readonly string[]): string {
  return names.map((name) => noAccount(property, name)).join('; ')
}
