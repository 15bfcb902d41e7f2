import { type Acl, effectiveBits, type NamedEntry, withNamed } from '../../host/acl.ts'
import type { Target } from '../../host/target.ts'
import { known, type Reading, unknown } from '../../model/observation.ts'
import { namesId, type DesiredAccounts } from './accounts.ts'

// What access control lists let users and groups do beside what a mode says.

/** The names of the ids in what was seen, of those that have one. */
export interface AccountNames {
  readonly users: ReadonlyMap<number, string>
  readonly groups: ReadonlyMap<number, string>
}

/** Who an entry is for. */
export function who({ kind, id }: NamedEntry, { users, groups }: AccountNames): string {
  return `${kind} ${(kind === 'user' ? users : groups).get(id) ?? id}`
}

/** What a thing with a list says itself, and what a policy says of its mode. */
export interface Listed {
  readonly mode: number
  readonly uid: number
  readonly gid: number
  readonly acceptsMode: (mode: number) => boolean
  /** The owners and groups that the policy accepts. */
  readonly owner?: DesiredAccounts | undefined
  readonly group?: DesiredAccounts | undefined
}

const READ = 0o4
const WRITE = 0o2
const EXECUTE = 0o1

/**
 * Whether a list of something with such a mode may let a user do what the mode must not let all users do. Named entries get no more than
 * the bits of the group, which are the mask of a list.
 */
export function mayListTooMuch({ mode, acceptsMode }: Pick<Listed, 'mode' | 'acceptsMode'>): boolean {
  const most = (mode >> 3) & ~mode & 0o7
  return [1, 2, 3, 4, 5, 6, 7].some((bits) => (bits & ~most) === 0 && !acceptsMode(mode | bits))
}

/** Whether the mode would not be accepted if it gave all users what the entry gives to one. */
export function givesTooMuch(list: Acl, entry: NamedEntry, about: Listed): boolean {
  const { mode, uid, gid, acceptsMode, owner, group } = about
  const { kind, id } = entry
  const accepted = kind === 'user' ? owner : group
  const isHarmless = kind === 'user' ? id === 0 || id === uid : id === gid
  if (isHarmless || (accepted !== undefined && namesId(accepted, id))) return false
  const bits = effectiveBits(list, entry)
  return (bits & ~mode) !== 0 && !acceptsMode(mode | bits)
}

/** A list that was seen, with names for those in it. */
export interface ObservedList {
  readonly acl: Acl | undefined
  readonly names: AccountNames
}

/** What a drift of `access` wants. */
export const NO_MORE_ACCESS = 'no more than owner, group and mode say'

/** What is said of lists that cannot be read. */
export function unknownAccess(detail: string): string {
  return `access beyond the mode is not known: ${detail}`
}

/** Who may do too much by a list, in words; empty where no user may. */
export function excessOf({ acl, names }: ObservedList, listed: Listed, isDirectory: boolean): string {
  const masked = acl && maskedBy(listed.mode, acl)
  return tooMuch(masked, listed)
    .map((entry) => `${who(entry, names)} may ${rights(masked, entry, isDirectory)} (ACL)`)
    .join('; ')
}

/** The list without what gives too much, now or with the mode that a fix gives; undefined where nothing is to be taken away. */
export function listAfter(acl: Acl, listed: Listed, mode: number): Acl | undefined {
  const excess = new Set([listed, { ...listed, mode }].flatMap((each) => tooMuch(maskedBy(each.mode, acl), each)))
  if (excess.size === 0) return undefined
  return without(acl, [...excess])
}

/** The list without some of its entries. */
export function without<List extends Acl | undefined>(acl: List, entries: readonly NamedEntry[]): List | Acl {
  if (acl === undefined || entries.length === 0) return acl
  return withNamed(
    acl,
    acl.named.filter((entry) => !entries.includes(entry)),
  )
}

function tooMuch(acl: Acl | undefined, listed: Listed): readonly NamedEntry[] {
  return acl?.named.filter((entry) => givesTooMuch(acl, entry, listed)) ?? []
}

/** Reads the lists of files and directories, by path, links followed, with one question for all of them. */
export async function readLists(
  target: Pick<Target, 'access' | 'realPath' | 'userName' | 'groupName'>,
  paths: readonly string[],
): Promise<ReadonlyMap<string, Reading<ObservedList>>> {
  const places = paths.map((path) => {
    const real = target.realPath(path)
    return real.kind === 'known' ? (real.value ?? path) : path
  })
  const seen = await target.access.beyondMode(places)
  return new Map(
    paths.map((path, index) => {
      const beyond = seen[index] ?? unknown('internal', 'nothing was answered about it')
      if (beyond.kind === 'unknown') return [path, beyond]
      const { acl } = beyond.value
      return [path, known({ acl, names: namesOf(acl?.named ?? [], target) })]
    }),
  )
}

/** What an entry lets a user do, in words. */
export function rights(list: Acl | undefined, entry: NamedEntry, isDirectory: boolean): string {
  const bits = list === undefined ? 0 : effectiveBits(list, entry)
  return [
    ...((bits & READ) === 0 ? [] : ['read']),
    ...((bits & WRITE) === 0 ? [] : ['write']),
    ...((bits & EXECUTE) === 0 ? [] : [isDirectory ? 'enter' : 'execute']),
  ].join(', ')
}

/** A list with the mask that a mode shows as the bits of the group. */
export function maskedBy(mode: number, list: Acl): Acl {
  return list.mask === undefined ? list : { ...list, mask: (mode >> 3) & 0o7 }
}

/** A list that gives no user more than a mode, whose bits of the group are the mask. */
export function narrowedTo(mode: number, acl: Acl): Acl {
  const [owner, group, other] = [(mode >> 6) & 0o7, (mode >> 3) & 0o7, mode & 0o7]
  return acl.mask === undefined
    ? { ...acl, owner, group: acl.group & group, other }
    : { ...acl, owner, mask: group, other }
}

/** Names for the ids of users and groups. */
export function namesOf(
  entries: readonly Pick<NamedEntry, 'kind' | 'id'>[],
  accounts: {
    readonly userName: (uid: number) => string | undefined
    readonly groupName: (gid: number) => string | undefined
  },
): AccountNames {
  const named = (kind: NamedEntry['kind'], nameOf: (id: number) => string | undefined): Map<number, string> =>
    new Map(
      entries
        .filter((entry) => entry.kind === kind)
        .flatMap(({ id }) => {
          const name = nameOf(id)
          return name === undefined ? [] : [[id, name]]
        }),
    )
  return { users: named('user', accounts.userName), groups: named('group', accounts.groupName) }
}
