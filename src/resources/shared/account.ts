import type { Obstacle } from '../../core/decision.ts'
import type { Drift, UnknownProperty } from '../../core/drift.ts'
import { known, type Reading } from '../../core/observation.ts'

/** The two properties that name an account. */
export type AccountProperty = 'owner' | 'group'

/** Who owns something: the id that counts and the name to show, if it has one. */
export interface Account {
  readonly id: number
  readonly name: string | undefined
}

/** What an account is called where it is shown: its name, or its id where it has none. */
export function accountName({ id, name }: Account): string {
  return name ?? String(id)
}

/** An owner or group as the policy writes it, with the id it stands for; null if nobody has that name. */
export interface WantedAccount {
  readonly text: string
  readonly id: Reading<number | null>
}

type Awaitable<T> = T | Promise<T>

// Ids are 32 bits wide, and the highest one means "leave it as it is" to the system.
const HIGHEST_ID = 2 ** 32 - 2

/** A number is an id by itself, as with chown(1), even if an account has it as its name. */
function isNumericId(text: string): boolean {
  return /^[0-9]+$/.test(text)
}

/** What is wrong with a number that is to be an id. */
export function accountIdProblem(property: AccountProperty, text: string | undefined): string | undefined {
  if (text === undefined || !isNumericId(text) || Number(text) <= HIGHEST_ID) return undefined
  return `${property} "${text}" is out of range: ids go from 0 to ${HIGHEST_ID}`
}

/** Finds the id that an owner or group stands for. Answers at once where the user database does. */
export function readAccount(
  text: string,
  lookUp: (name: string) => Awaitable<Reading<number | null>>,
): Awaitable<WantedAccount> {
  if (isNumericId(text)) return { text, id: known(Number(text)) }
  const id = lookUp(text)
  return id instanceof Promise ? id.then((found) => ({ text, id: found })) : { text, id }
}

/** Compares an owner or group with the one that is there. */
export function compareAccount(
  property: AccountProperty,
  { text, id }: WantedAccount,
  observed: Account,
): { readonly drift: readonly Drift[]; readonly unknown: readonly UnknownProperty[] } {
  if (id.kind === 'unknown') return { drift: [], unknown: [{ property, reason: id.reason, detail: id.detail }] }
  if (id.value === observed.id) return { drift: [], unknown: [] }
  const drift = { property, desired: text, observed: accountName(observed) }
  return { drift: [id.value === null ? { ...drift, note: nobody(property, text) } : drift], unknown: [] }
}

/** Why an owner or group cannot be set. */
export function accountObstacles(property: AccountProperty, { text, id }: WantedAccount): Obstacle[] {
  if (id.kind === 'unknown') return [{ reason: id.detail }]
  return id.value === null ? [{ reason: nobody(property, text) }] : []
}

/** That nobody has the name of an owner or group. */
export function nobody(property: AccountProperty, name: string): string {
  return `${property === 'owner' ? 'user' : 'group'} "${name}" does not exist`
}
