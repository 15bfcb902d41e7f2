import {
  cannot,
  type Decision,
  type Difference,
  differences,
  type Effect,
  missing,
  type Obstacle,
  type Seen,
} from 'driftgate'
import type { Accounts, Found, Owned } from './observe.ts'
import type { FileOwner } from './properties.ts'

/** The ids a fix sets; one that is undefined stays as it is. */
export interface Action {
  readonly uid: number | undefined
  readonly gid: number | undefined
}

/** How many entries of a tree a report names; the others are counted. */
const SHOWN = 5

const THE_OWNER: Effect = { kind: 'set', object: 'the owner' }

export function decide(desired: FileOwner, observed: Seen<Found, Accounts>): Decision<Action> {
  const { user, group } = observed.context
  const action = { uid: user?.id ?? undefined, gid: group?.id ?? undefined }
  const obstacles = nobodies(observed.context)
  if (observed.kind === 'absent') {
    const { destination } = desired
    const nothing = cannot(`${destination} does not exist`, { missing: destination })
    return missing({ fix: { action, effects: [THE_OWNER] }, obstacles: [nothing, ...obstacles] })
  }
  const entries = observed.state
  const differing = entries.map((entry) => compare(entry, desired, observed.context)).filter(({ length }) => length > 0)
  const [count, total] = [differing.length, entries.length]
  const effect = total === 1 ? THE_OWNER : { ...THE_OWNER, object: `the owner of ${count} of ${total} entries` }
  const messages = count > SHOWN ? [`the first ${SHOWN} of ${count} entries that differ are shown`] : []
  return differences(differing.slice(0, SHOWN).flat(), { fix: { action, effects: [effect] }, obstacles, messages })
}

/** Compares by id, and shows what the policy speaks of: names where it names, ids where it counts. */
function compare(entry: Owned, desired: FileOwner, { user, group }: Accounts): readonly Difference[] {
  const found: Difference[] = []
  const path = entry.path === '' ? {} : { path: entry.path }
  if (user !== undefined && user.id !== entry.uid) {
    if (desired.uid !== undefined) found.push({ property: 'uid', original: entry.uid, desired: desired.uid, ...path })
    else found.push({ property: 'user', original: entry.user ?? String(entry.uid), desired: user.name, ...path })
  }
  if (group !== undefined && group.id !== entry.gid) {
    if (desired.gid !== undefined) found.push({ property: 'gid', original: entry.gid, desired: desired.gid, ...path })
    else found.push({ property: 'group', original: entry.group ?? String(entry.gid), desired: group.name, ...path })
  }
  return found
}

/** Names that no account has; a package that the resource requires may bring them. */
function nobodies({ user, group }: Accounts): readonly Obstacle[] {
  const conditions = { mayComeWithRequirement: true }
  return [
    ...(user?.id === null ? [cannot(`user "${user.name}" does not exist`, conditions)] : []),
    ...(group?.id === null ? [cannot(`group "${group.name}" does not exist`, conditions)] : []),
  ]
}
