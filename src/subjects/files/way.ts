import { showName } from '../../model/file-name.ts'
import { known, type Reading } from '../../model/observation.ts'
import type { BeyondMode, WayStep } from '../../host/access.ts'
import { type Acl, effectiveBits, type NamedEntry } from '../../host/acl.ts'
import type { Target } from '../../host/target.ts'
import { acceptsId, type Account, type DesiredAccounts } from '../shared/accounts.ts'
import { type AccountNames, namesOf, describeEntry } from '../shared/lists.ts'

/** Attributes of the file or directory at the end of the path. */
interface Permissions {
  readonly mode: number
  readonly owner: Account
  readonly group: Account
}

/** A directory or link on the path, with its list if the mode allows one. */
export interface ObservedStep extends WayStep {
  readonly acl: Reading<Acl | undefined>
}

/** Advice about a user with write access on the path. */
export const WAY_ADVICE =
  "which a fix of its content leaves unchanged: chown it to root, remove the write access, or accept it with 'access: any'"

const GROUP_WRITES = 0o020
const OTHERS_WRITE = 0o002
const STICKY = 0o1000
const WRITE = 2

/** Whether a directory may have a list with write access: its mode would show it as group access. */
export function mayLetWrite({ kind, mode }: WayStep): boolean {
  return kind === 'directory' && (mode & (STICKY | GROUP_WRITES | OTHERS_WRITE)) === GROUP_WRITES
}

/** Adds lists to the steps; `lists` is in the order of the steps that match `mayLetWrite`. */
export function withLists(steps: readonly WayStep[], lists: readonly Reading<BeyondMode>[]): readonly ObservedStep[] {
  const open = steps.filter(mayLetWrite)
  return steps.map((step) => ({ ...step, acl: aclOf(lists[open.indexOf(step)]) }))
}

function aclOf(beyond: Reading<BeyondMode> | undefined): ObservedStep['acl'] {
  return beyond?.kind === 'known' ? known(beyond.value.acl) : (beyond ?? known(undefined))
}

/** Finds the users who can replace the object at a path, in the form of `foundOnWay`. */
export async function observeWay(
  target: Pick<Target, 'access' | 'names'>,
  path: string,
  state: Permissions,
  wanted: { readonly owner: DesiredAccounts | undefined },
): Promise<Reading<readonly string[]>> {
  const way = target.access.wayTo(path, { followed: true })
  if (way.kind === 'unknown' || way.value.length === 0) return way.kind === 'unknown' ? way : known([])
  const open = way.value.filter(mayLetWrite).map((step) => step.path)
  const steps = withLists(way.value, open.length === 0 ? [] : await target.access.beyondMode(open))
  const ids = steps.flatMap(({ uid, gid, acl }): readonly Pick<NamedEntry, 'kind' | 'id'>[] => [
    { kind: 'user', id: uid },
    { kind: 'group', id: gid },
    ...((acl.kind === 'known' ? acl.value?.named : undefined) ?? []),
  ])
  return known(foundOnWay(state, steps, namesOf(ids, target.names), wanted))
}

/** Users who can replace the object, each as a sentence. */
export function foundOnWay(
  state: Permissions,
  way: readonly ObservedStep[],
  names: AccountNames,
  wanted: { readonly owner: DesiredAccounts | undefined },
): readonly string[] {
  const isTrusted = (uid: number): boolean =>
    uid === 0 || (wanted.owner === undefined ? uid === state.owner.id : acceptsId(wanted.owner, uid))
  // A user private group has the name of its user; a group that may write to the object may also replace it.
  const userName = (id: number): string | undefined => (id === state.owner.id ? state.owner.name : names.users.get(id))
  const isTrustedGroup = (gid: number, { uid }: WayStep): boolean => {
    if (gid === 0 || (gid === state.group.id && (state.mode & GROUP_WRITES) !== 0)) return true
    const name = names.groups.get(gid)
    return name !== undefined && [uid, state.owner.id].some((id) => isTrusted(id) && userName(id) === name)
  }
  return way.flatMap((step) => {
    const path = showName(step.path)
    if (!isTrusted(step.uid)) return [`${path} is owned by ${names.users.get(step.uid) ?? step.uid}`]
    if (step.kind === 'symlink' || (step.mode & STICKY) !== 0) return []
    if ((step.mode & OTHERS_WRITE) !== 0) return [`${path} is world-writable`]
    return writers(step)
      .filter(({ kind, id }) => !(kind === 'user' ? isTrusted(id) : isTrustedGroup(id, step)))
      .map((entry) => `${describeEntry(entry, names)} can write to ${path}`)
  })
}

/** Users and groups other than the owner with write access to a directory. */
function writers({ mode, gid, acl }: ObservedStep): readonly NamedEntry[] {
  if ((mode & GROUP_WRITES) === 0) return []
  const list: Acl = (acl.kind === 'known' ? acl.value : undefined) ?? {
    owner: 0,
    group: WRITE,
    other: 0,
    mask: undefined,
    named: [],
  }
  const group: NamedEntry = { kind: 'group', id: gid, bits: list.group }
  return [group, ...list.named].filter((entry) => (effectiveBits(list, entry) & WRITE) !== 0)
}
