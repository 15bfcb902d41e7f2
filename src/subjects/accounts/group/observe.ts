import { absent, type Observation, present, unknown } from '../../../model/observation.ts'
import { placeOf, whoElse } from '../accounts.ts'
import { ACCOUNTS } from '../subject.ts'
import type { Target } from '../../../host/target.ts'
import { administrators, lastAdministrators } from '../administrators.ts'
import type { GroupState, GroupDesired } from './decide.ts'

/** Looks the group up where the system would find it first; directories such as LDAP are not asked. */
export function observeGroup(
  target: Pick<Target, 'open'>,
  { name }: Pick<GroupDesired, 'name'>,
): Observation<GroupState> {
  const set = target.open(ACCOUNTS).read()
  if (set.kind === 'unknown') return set
  const { users, groups } = set.value
  const [group, ...hidden] = groups.filter((each) => each.name === name)
  if (group === undefined) {
    const others = whoElse(set.value)
    return others === undefined ? absent() : unknown('not-observable', `${name} is not in a local source; ${others}`)
  }
  // A member of another group with this GID has its rights, too. @see initgroups(3)
  const others = groups.filter(({ gid, name: other }) => gid === group.gid && other !== name)
  const guarded = target.open(ACCOUNTS).guarded()
  return present({
    group,
    hidden: hidden.map(({ origin }) => placeOf(origin)),
    twins: groups.filter((each) => each !== group && each.gid === group.gid),
    shadow: target.open(ACCOUNTS).groupShadow(name),
    primaryOf: [
      ...new Set([
        ...namesOf(users.filter(({ gid }) => gid === group.gid)),
        ...others.flatMap(({ members }) => members),
      ]),
    ],
    lastAdministrators: lastAdministrators(set.value, group, Math.floor(Date.now() / DAY_MS)),
    administrators: namesOf(administrators(set.value, Math.floor(Date.now() / DAY_MS))),
    guarded: namesOf(users.filter(({ uid }) => guarded.includes(uid))),
  })
}

const DAY_MS = 24 * 60 * 60 * 1000

function namesOf(users: readonly { readonly name: string }[]): readonly string[] {
  return [...new Set(users.map(({ name }) => name))]
}
