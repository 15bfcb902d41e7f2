import { type Acl, effectiveBits, type NamedEntry, withNamed } from '../../host/acl.ts'
import type { HasFiles, Target } from '../../host/target.ts'
import { known, type Reading, unknown } from '../../model/observation.ts'
import { namesId, type DesiredAccounts } from './accounts.ts'

// Access that access control lists grant beyond the mode.

/** Known names of the observed uids and gids. */
export interface AccountNames {
  readonly users: ReadonlyMap<number, string>
  readonly groups: ReadonlyMap<number, string>
}

export function describeEntry({ kind, id }: NamedEntry, { users, groups }: AccountNames): string {
  return `${kind} ${(kind === 'user' ? users : groups).get(id) ?? id}`
}

/** Observed mode and accepted modes of a file or directory with an access control list. */
export interface Listed {
  readonly mode: number
  readonly uid: number
  readonly gid: number
  readonly acceptsMode: (mode: number) => boolean
  /** Accepted owners and groups. */
  readonly owner?: DesiredAccounts | undefined
  readonly group?: DesiredAccounts | undefined
}

const READ = 0o4
const WRITE = 0o2
const EXECUTE = 0o1

/**
 * Whether a list with this mode may grant a user more than the mode grants others. Named entries are limited by the mask, which
 * is the group bits of the mode.
 */
export function mayListTooMuch({ mode, acceptsMode }: Pick<Listed, 'mode' | 'acceptsMode'>): boolean {
  const most = (mode >> 3) & ~mode & 0o7
  return [1, 2, 3, 4, 5, 6, 7].some((bits) => (bits & ~most) === 0 && !acceptsMode(mode | bits))
}

/** Whether the mode would be rejected if it granted all users the access of the entry. */
export function givesTooMuch(list: Acl, entry: NamedEntry, about: Listed): boolean {
  const { mode, uid, gid, acceptsMode, owner, group } = about
  const { kind, id } = entry
  const accepted = kind === 'user' ? owner : group
  const isHarmless = kind === 'user' ? id === 0 || id === uid : id === gid
  if (isHarmless || (accepted !== undefined && namesId(accepted, id))) return false
  const bits = effectiveBits(list, entry)
  return (bits & ~mode) !== 0 && !acceptsMode(mode | bits)
}

/** Observed list with the names of its users and groups. */
export interface ObservedList {
  readonly acl: Acl | undefined
  readonly names: AccountNames
}

/** Desired value of a drift of `access`. */
export const NO_MORE_ACCESS = 'no access beyond owner, group and mode'

export function unknownAccess(detail: string): string {
  return `access beyond the mode is unknown: ${detail}`
}

/** Entries that grant too much access, in words; empty if none. */
export function excessOf({ acl, names }: ObservedList, listed: Listed, isDirectory: boolean): string {
  const masked = acl && maskedBy(listed.mode, acl)
  return tooMuch(masked, listed)
    .map((entry) => `${describeEntry(entry, names)} may ${describeRights(masked, entry, isDirectory)} (ACL)`)
    .join('; ')
}

/** List without the entries that grant too much, with the current mode or the mode of the fix; undefined without such entries. */
export function listAfter(acl: Acl, listed: Listed, mode: number): Acl | undefined {
  const excess = new Set([listed, { ...listed, mode }].flatMap((each) => tooMuch(maskedBy(each.mode, acl), each)))
  if (excess.size === 0) return undefined
  return withoutEntries(acl, [...excess])
}

export function withoutEntries<List extends Acl | undefined>(acl: List, entries: readonly NamedEntry[]): List | Acl {
  if (acl === undefined || entries.length === 0) return acl
  return withNamed(
    acl,
    acl.named.filter((entry) => !entries.includes(entry)),
  )
}

function tooMuch(acl: Acl | undefined, listed: Listed): readonly NamedEntry[] {
  return acl?.named.filter((entry) => givesTooMuch(acl, entry, listed)) ?? []
}

/** Reads the lists of files and directories by path in one request. Follows links. */
export async function readLists(
  target: Pick<Target, 'access' | 'names'> & HasFiles<'realPath'>,
  paths: readonly string[],
): Promise<ReadonlyMap<string, Reading<ObservedList>>> {
  const places = paths.map((path) => {
    const real = target.files.realPath(path)
    return real.kind === 'known' ? (real.value ?? path) : path
  })
  const seen = await target.access.beyondMode(places)
  return new Map(
    paths.map((path, index) => {
      const beyond = seen[index] ?? unknown('internal', 'no output for the path')
      if (beyond.kind === 'unknown') return [path, beyond]
      const { acl } = beyond.value
      return [path, known({ acl, names: namesOf(acl?.named ?? [], target.names) })]
    }),
  )
}

/** Access that an entry grants, in words. */
export function describeRights(list: Acl | undefined, entry: NamedEntry, isDirectory: boolean): string {
  const bits = list === undefined ? 0 : effectiveBits(list, entry)
  return [
    ...((bits & READ) === 0 ? [] : ['read']),
    ...((bits & WRITE) === 0 ? [] : ['write']),
    ...((bits & EXECUTE) === 0 ? [] : [isDirectory ? 'enter' : 'execute']),
  ].join(', ')
}

/** List with the mask from the group bits of the mode. */
export function maskedBy(mode: number, list: Acl): Acl {
  return list.mask === undefined ? list : { ...list, mask: (mode >> 3) & 0o7 }
}

/** List that grants no more access than the mode, with the group bits as the mask. */
export function narrowedTo(mode: number, acl: Acl): Acl {
  const [owner, group, other] = [(mode >> 6) & 0o7, (mode >> 3) & 0o7, mode & 0o7]
  return acl.mask === undefined
    ? { ...acl, owner, group: acl.group & group, other }
    : { ...acl, owner, mask: group, other }
}

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
