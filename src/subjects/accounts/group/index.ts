import { dayOf } from '../../../model/duration.ts'
import type { Target } from '../../../host/target.ts'
import type { ExportsOf } from '../../../model/exported.ts'
import { type Seen, absent, type Observation, present, unknown } from '../../../model/observation.ts'
import type { Captured, ResourceCapture } from '../../../resource-type/capture.ts'
import { defineExports, defineProperties, defineResource, type ResourceType } from '../../../resource-type/define.ts'
import { ACCOUNT_NAME } from '../../shared/account-name.ts'
import { accountKey } from '../../shared/accounts.ts'
import { applyAccountCommands } from '../account-commands.ts'
import { placeOf, whoElse } from '../accounts.ts'
import { administrators, lastAdministrators } from '../administrators.ts'
import { ACCOUNTS } from '../subject.ts'
import { decideGroup, type GroupState, type GroupDesired } from './decide.ts'

const MEMBER = { kind: 'text', pattern: ACCOUNT_NAME, summary: 'Name of an account.' } as const

/** What a policy may say about a group. */
const properties = defineProperties({
  name: { kind: 'text', required: true, pattern: ACCOUNT_NAME, phase: 'early', summary: 'Name of the group.' },
  ensure: {
    kind: 'text',
    oneOf: ['present', 'absent'],
    default: 'present',
    phase: 'early',
    summary: 'Whether it must exist. A fix creates it with `groupadd` and never deletes it.',
  },
  if_absent: {
    kind: 'text',
    oneOf: ['create', 'drift', 'compliant'],
    default: 'create',
    phase: 'early',
    parameter: true,
    summary: 'Verdict if the group does not exist: created by a fix, drift that a fix keeps, or compliant.',
  },
  gid: {
    kind: 'integer',
    minimum: 0,
    maximum: 2 ** 32 - 2,
    accepts: 'number',
    phase: 'early',
    summary: 'GID. A fix sets it only for a new group: files would keep the old one.',
  },
  members: {
    kind: 'list',
    items: MEMBER,
    accepts: 'set',
    phase: 'early',
    summary:
      'Its members, without accounts whose primary group it is. A fix does not remove root or the user who runs it.',
  },
  primary_of: {
    kind: 'list',
    items: MEMBER,
    accepts: 'set',
    phase: 'early',
    summary:
      'The accounts whose primary group it is, or that are members of another group with its GID. A fix cannot change them.',
  },
  system: {
    kind: 'boolean',
    default: false,
    phase: 'early',
    parameter: true,
    summary: 'Whether a new group is a system group.',
  },
})

/** What later resources can read. */
const exports = defineExports({
  gid: { kind: 'integer', summary: 'GID.' },
  members: { kind: 'text', summary: 'Its members, comma-separated.' },
})

const groupCapture: ResourceCapture<GroupState, undefined> = {
  look: {},
  describe(seen): Captured {
    if (seen.kind === 'absent') return { kind: 'absent', properties: { ensure: 'absent' } }
    const { group, primaryOf } = seen.state
    const properties = {
      gid: group.gid,
      members: group.members.toSorted(),
      primary_of: primaryOf.toSorted(),
      if_absent: 'drift',
    }
    return { kind: 'present', properties }
  },
}

/** One group of the machine itself, in group or in a directory of records. */
export const group: ResourceType = defineResource({
  type: 'group',
  summary: 'A group: its GID, its members, and the accounts whose primary group it is.',
  properties,
  rules: [
    {
      summary: '`ensure: absent` excludes `gid`, `members` and `primary_of`.',
      reads: ['ensure', 'gid', 'members', 'primary_of'],
      at: 'ensure',
      check({ ensure, gid, members, primary_of: primaryOf }) {
        const said = [gid, members, primaryOf].some((each) => each !== undefined)
        return ensure === 'absent' && said
          ? 'a group that must be absent cannot have gid, members or primary_of'
          : undefined
      },
    },
  ],
  provides: ({ name, ensure }) => (ensure === 'absent' ? [] : [accountKey('group', name)]),
  exports,
  drifts: ['ensure', 'gid', 'members', 'primary_of'],
  neverSecret: ['ensure'],
  examples: [
    {
      title: 'The group shadow has no members',
      yaml: `
        group:
          - shadow:
              members: []
              primary_of: []
              if_absent: compliant`,
    },
    {
      title: 'A group for operators of the host',
      yaml: `
        group:
          - operators:
              members: { includes: [ann], excludes: [guest] }`,
    },
  ],
  platforms: ['linux'],
  observe: observeGroup,
  decide: decideGroup,
  apply: applyAccountCommands,
  hazards: (_wanted, { risk }) => ({ risk }),
  exportsOf: exportsOfGroup,
  capture: groupCapture,
})

function exportsOfGroup(_desired: unknown, observed: Seen<GroupState>): ExportsOf<typeof exports> {
  if (observed.kind === 'absent') return {}
  const { gid, members } = observed.state.group
  return { gid, members: members.join(',') }
}

/** Looks the group up where the system would find it first; directories such as LDAP are not asked. */
function observeGroup(target: Pick<Target, 'open'>, { name }: Pick<GroupDesired, 'name'>): Observation<GroupState> {
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
    lastAdministrators: lastAdministrators(set.value, group, dayOf(Date.now())),
    administrators: namesOf(administrators(set.value, dayOf(Date.now()))),
    guarded: namesOf(users.filter(({ uid }) => guarded.includes(uid))),
  })
}

function namesOf(users: readonly { readonly name: string }[]): readonly string[] {
  return [...new Set(users.map(({ name }) => name))]
}
