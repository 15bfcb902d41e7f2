import { defined } from '../../../model/defined.ts'
import { type Acceptance, acceptedFor, isAccepted } from '../../../model/acceptance.ts'
import { type Decision, NO_PLAN, type Plan } from '../../../model/decision.ts'
import { cannot, differences, missing } from '../../../model/differences.ts'
import type { Reading, Seen } from '../../../model/observation.ts'
import {
  AS_WANTED,
  drifted,
  mergeParts,
  type PartialDecision,
  refused,
  undecided,
} from '../../../model/partial-decision.ts'
import { type ListItem, NUMBERS, SETS } from '../../../model/value-orders.ts'
import { type AccountCommand, type GroupShadow, placeOf, type UserGroup } from '../accounts.ts'
import { ENDS_ADMINISTRATOR, isAdminGroup } from '../administrators.ts'
import { acceptanceOf, newMembersOf, newValueOf, noNearest } from '../../shared/acceptance-of.ts'
import { type AccountAction, notInFiles } from '../account-commands.ts'

type DesiredNames = readonly string[] | Acceptance<readonly string[], string> | undefined

/** Properties of a group in a policy; undefined properties are not managed. */
export interface GroupDesired {
  readonly name: string
  readonly ensure: 'present' | 'absent'
  readonly if_absent: 'create' | 'drift' | 'compliant'
  readonly gid?: number | Acceptance<number> | undefined
  readonly members?: DesiredNames
  readonly primary_of?: DesiredNames
  readonly system: boolean
}

/** The first group of the name in lookup order. */
export interface GroupState {
  readonly group: UserGroup
  /** Positions of shadowed groups of the same name. */
  readonly hidden: readonly string[]
  /** Other lines with its GID: their members have it, too. @see initgroups(3) */
  readonly twins?: readonly UserGroup[]
  /** Users who obtain it by gshadow. */
  readonly shadow: Reading<GroupShadow>
  /** The accounts whose primary group it is, or that are members of another group with its GID. */
  readonly primaryOf: readonly string[]
  /** The names of root and of the running user. */
  readonly guarded: readonly string[]
  /** Those who can log in and become root. */
  readonly administrators?: readonly string[]
  /** All administrators, if only this group makes them administrators. */
  readonly lastAdministrators?: readonly string[]
}

interface GroupPart extends PartialDecision<AccountCommand> {
  readonly risk?: string
}

export function decideGroup(wanted: GroupDesired, observed: Seen<GroupState>): Decision<AccountAction> {
  if (observed.kind === 'absent') return decideAbsent(wanted)
  const { group, hidden } = observed.state
  const warnings = hidden.map((place) => `${place} is shadowed by ${placeOf(group.origin)}, which has the same name`)
  if (wanted.ensure === 'absent') return decideUnwanted(group, warnings)
  const parts = [
    compareGid(wanted, observed.state),
    compareMembers(wanted, observed.state),
    comparePrimary(wanted, observed.state),
  ]
  const { drift, unknown } = mergeParts(parts)
  const note = placeOf(group.origin)
  return {
    ensure: { desired: 'present', observed: 'present' },
    drift: drift.map((each) => ({ ...each, note })),
    unknown,
    plan: planFor(parts, observed.state),
    warnings,
  }
}

function decideAbsent(wanted: GroupDesired): Decision<AccountAction> {
  const ensure = { desired: wanted.ensure, observed: 'absent' }
  if (wanted.ensure === 'absent') return differences([], { ensure })
  if (wanted.if_absent === 'compliant') return differences([], { ensure, messages: ['the group does not exist'] })
  if (wanted.if_absent === 'drift') {
    return missing({
      obstacles: [cannot('the group does not exist, and with if_absent: drift a fix does not create it')],
    })
  }
  const gid = wanted.gid === undefined ? undefined : newValueOf(acceptanceOf(wanted.gid))
  const members =
    wanted.members === undefined ? [] : newMembersOf(acceptanceOf<readonly string[], string>(wanted.members))
  const options = [...(wanted.system ? ['-r'] : []), ...(gid === undefined ? [] : ['-g', String(gid)])]
  const added = members.map((member) => addMember(member, wanted.name))
  const commands: readonly AccountCommand[] = [['groupadd', ...options, wanted.name], ...added]
  return missing({ fix: { action: { commands }, text: 'Would have created the group' } })
}

function decideUnwanted({ name, origin }: UserGroup, warnings: readonly string[]): Decision<AccountAction> {
  const ensure = { desired: 'absent', observed: 'present' }
  const note = `defined in ${placeOf(origin)}`
  const drift = { property: 'ensure', original: 'present', desired: 'absent', note }
  const reason = `a fix does not delete groups: review its files, then run groupdel ${name}`
  return differences([drift], { ensure, warnings, obstacles: [cannot(reason)] })
}

function compareGid({ name, gid }: GroupDesired, { group }: GroupState): GroupPart {
  if (gid === undefined || isAccepted(NUMBERS, acceptanceOf(gid), group.gid)) return AS_WANTED
  const reason = `files would keep gid ${group.gid}: change ${name} with groupmod -g and its files with chgrp`
  return refused({ property: 'gid', desired: gid, observed: group.gid }, reason)
}

function compareMembers(
  { members: wanted }: GroupDesired,
  { group, twins = [], shadow, guarded, lastAdministrators: last = [], administrators: ruling = [] }: GroupState,
): GroupPart {
  if (wanted === undefined) return AS_WANTED
  const accepted = acceptanceOf<readonly ListItem[], ListItem>(wanted)
  // Others may be in gshadow or in another line, which harms only where a member is unwanted.
  const isOpen = Object.keys(accepted).every((name) => name === 'includes' || name === 'at_least')
  const listed = isOpen ? group.members : [...new Set([group, ...twins].flatMap((each) => each.members))]
  const members = isAccepted(SETS, accepted, listed) ? withShadow(listed, shadow) : listed
  if (members === undefined) {
    return isOpen || shadow.kind === 'known' ? AS_WANTED : undecided('members', shadow)
  }
  if (isAccepted(SETS, accepted, members)) {
    if (isOpen || shadow.kind === 'unknown' || !shadow.value.hasPassword) return AS_WANTED
    const observed = [...members, 'any user with the group password'].join(', ')
    const reason = `a user may need the group password: if not, run gpasswd -r ${group.name}`
    return refused({ property: 'members', desired: accepted, observed }, reason)
  }
  const drift = { property: 'members', desired: accepted, observed: formatNames(members) }
  const fixed = acceptedFor(SETS, accepted, members)
  if (fixed === undefined) return refused(drift, noNearest('members'))
  const lost = members.filter((member) => !fixed.includes(member))
  const isLast = last.length > 0 && last.every((member) => lost.includes(member))
  const ruled = shadow.kind === 'known' ? lost.filter((member) => shadow.value.administrators.includes(member)) : []
  const others = twins.filter((twin) => lost.some((member) => twin.members.includes(member)))
  const kept = lost.filter((member) => guarded.includes(member) || (isLast && last.includes(member)))
  const reason = `${kept.join(', ')} is kept: removal could lock out root, an administrator or the current user`
  return {
    ...drifted(drift),
    steps: [
      ...lost
        .filter((member) => ![...kept, ...ruled, ...others.flatMap((twin) => twin.members)].includes(member))
        .map((member): AccountCommand => ['gpasswd', '-d', member, group.name]),
      ...fixed
        .map(String)
        .filter((member) => !members.includes(member))
        .map((member) => addMember(member, group.name)),
    ],
    obstacles: [
      ...(kept.length === 0 ? [] : [cannot(reason)]),
      ...others.map((twin) => cannot(`${placeOf(twin.origin)} has the same GID: remove the duplicate`)),
      ...(ruled.length === 0
        ? []
        : [
            cannot(
              `${ruled.join(', ')} can add members as group administrator: set the administrators with gpasswd -A`,
            ),
          ]),
    ],
    ...(isAdminGroup(group) && lost.some((member) => !kept.includes(member) && ruling.includes(member))
      ? { risk: ENDS_ADMINISTRATOR }
      : {}),
  }
}

/** All members, also those by gshadow; undefined if that is unknown. */
function withShadow(members: readonly string[], shadow: Reading<GroupShadow>): readonly string[] | undefined {
  if (shadow.kind === 'unknown') return undefined
  return [...new Set([...members, ...shadow.value.members, ...shadow.value.administrators])]
}

function addMember(member: string, group: string): AccountCommand {
  return ['gpasswd', '-a', member, group]
}

function comparePrimary({ primary_of: wanted }: GroupDesired, { primaryOf }: GroupState): GroupPart {
  if (wanted === undefined) return AS_WANTED
  const accepted = acceptanceOf<readonly ListItem[], ListItem>(wanted)
  if (isAccepted(SETS, accepted, primaryOf)) return AS_WANTED
  const drift = { property: 'primary_of', desired: accepted, observed: formatNames(primaryOf) }
  return refused(drift, 'change the primary group of each account with usermod -g, or the GID of the other group')
}

function formatNames(names: readonly string[]): string {
  return names.length === 0 ? 'none' : names.join(', ')
}

function planFor(parts: readonly GroupPart[], { group, hidden }: GroupState): Plan<AccountAction> {
  const { steps: commands, obstacles } = mergeParts(parts)
  const untouchable = group.isInGroup
    ? hidden.map((place) => cannot(`${place} has the same name: remove the duplicate`))
    : [cannot(notInFiles('group', placeOf(group.origin)))]
  const [first, ...others] = [...(commands.length === 0 ? [] : untouchable), ...obstacles]
  if (commands.length === 0 || untouchable.length > 0) {
    return first === undefined ? NO_PLAN : { kind: 'refuse', obstacles: [first, ...others] }
  }
  const effects = commands.map((command) => ({ kind: 'run', object: command.join(' ') }) as const)
  const act = {
    kind: 'act',
    action: { commands, ...defined({ risk: parts.find(({ risk }) => risk !== undefined)?.risk }) },
    text: 'Would have changed the group',
    effects,
    obstacles: [],
  } as const
  return first === undefined ? act : { ...act, leaves: [first, ...others] }
}
