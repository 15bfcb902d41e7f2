import { showName } from '../../../model/file-name.ts'
import type { WayStep } from '../../../host/access.ts'
import { type Acl, effectiveBits, type NamedEntry } from '../../../host/acl.ts'
import { acceptsId } from '../../shared/accounts.ts'
import { type AccountNames, who } from '../../shared/lists.ts'
import type { SeenStep } from './access-seen.ts'
import type { SeenAttributes, WantedAttributes } from './attributes.ts'

const GROUP_WRITES = 0o020
const EVERYBODY_WRITES = 0o002
const STICKY = 0o1000
const WRITE = 2

/** Whether a directory on the way may have a list that lets somebody write in it: its mode would show it as the group's. */
export function mayLetWrite({ kind, mode }: WayStep): boolean {
  return kind === 'directory' && (mode & (STICKY | GROUP_WRITES | EVERYBODY_WRITES)) === GROUP_WRITES
}

/** Who can put something else in the place of the thing, each as a sentence. */
export function foundOnWay(
  state: SeenAttributes,
  way: readonly SeenStep[],
  names: AccountNames,
  wanted: WantedAttributes,
): readonly string[] {
  const isTrusted = (uid: number): boolean =>
    uid === 0 || (wanted.owner === undefined ? uid === state.owner.id : acceptsId(wanted.owner, uid))
  // A group of one's own has the name of its user; what the group of the thing itself may write it may replace, too.
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
    if ((step.mode & EVERYBODY_WRITES) !== 0) return [`everybody may write in ${path}`]
    return writers(step)
      .filter(({ kind, id }) => !(kind === 'user' ? isTrusted(id) : isTrustedGroup(id, step)))
      .map((entry) => `${who(entry, names)} may write in ${path}`)
  })
}

/** Who beside its owner may write in a directory. */
function writers({ mode, gid, acl }: SeenStep): readonly NamedEntry[] {
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
