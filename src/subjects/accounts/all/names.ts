import { cannot } from '../../../model/differences.ts'
import type { Drift } from '../../../model/drift.ts'
import { AS_WANTED, drifted, type PartialDecision } from '../../../model/partial-decision.ts'
import { type AccountSet, placeOf, type UserAccount } from '../accounts.ts'
import type { Origin } from '../account-files.ts'
import type { AccountsDesired } from './wanted.ts'

/** An account or a group, as far as rules about names and numbers look at it. */
interface Named {
  readonly name: string
  readonly origin: Origin
  readonly uid?: number
  readonly gid: number
}

/** Compares which accounts or groups there are: no name or number twice, and only those that may be there. */
export function compareNames(wanted: AccountsDesired, entries: readonly Named[]): readonly PartialDecision[] {
  return [...(wanted.unique ?? []).map((key) => compareUnique(key, entries)), compareOnly(wanted, entries)]
}

function compareUnique(key: 'name' | 'uid' | 'gid', entries: readonly Named[]): PartialDecision {
  const byValue = new Map<string | number | undefined, Named[]>()
  for (const entry of entries) {
    const same = byValue.get(entry[key])
    if (same === undefined) byValue.set(entry[key], [entry])
    else same.push(entry)
  }
  const drift = [...byValue].flatMap(([value, same]): Drift[] => {
    if (same.length === 1) return []
    const observed = same.map(({ name }) => name).join(', ')
    const note = same.map(({ origin }) => placeOf(origin)).join(', ')
    return [{ property: 'unique', desired: 'one', observed, path: `${key} ${value}`, note }]
  })
  return refusedAll(
    drift,
    'decide which entry is right, then run usermod or groupmod, or remove a line with vipw or vigr',
  )
}

function compareOnly({ only }: AccountsDesired, entries: readonly Named[]): PartialDecision {
  if (only === undefined) return AS_WANTED
  const drift = entries
    .filter(({ name }) => !only.includes(name))
    .map(({ name, uid, gid, origin }): Drift => {
      const id = uid === undefined ? `gid ${gid}` : `uid ${uid}`
      return {
        property: 'only',
        desired: { one_of: only },
        observed: name,
        path: name,
        note: `${id}; ${placeOf(origin)}`,
      }
    })
  return refusedAll(
    drift,
    'a fix deletes no entries and changes no ids: review them, then run usermod, userdel or groupdel',
  )
}

export function comparePrimaryGroups(users: readonly UserAccount[], { groups }: AccountSet): PartialDecision {
  const gids = new Set(groups.map(({ gid }) => gid))
  const drift = users
    .filter(({ gid }) => !gids.has(gid))
    .map(({ name, gid, origin }): Drift => {
      const note = `gid ${gid} has no group; ${placeOf(origin)}`
      return { property: 'primary_group_exists', desired: true, observed: false, path: name, note }
    })
  return refusedAll(drift, 'the intended group is unknown: run groupadd -g or usermod -g')
}

function refusedAll(drift: readonly Drift[], reason: string): PartialDecision {
  return drift.length === 0 ? AS_WANTED : { ...drifted(...drift), obstacles: [cannot(reason)] }
}
