import { acceptedFor, isAccepted, mapAcceptance, valuesNamed, type ValueOrder } from '../../../model/acceptance.ts'
import { isNumericId } from '../../../model/account-id.ts'
import { cannot } from '../../../model/differences.ts'
import type { Drift } from '../../../model/drift.ts'
import { AS_WANTED, drifted, type PartialDecision, refused } from '../../../model/partial-decision.ts'
import { type ListItem, NUMBERS, SETS } from '../../../model/value-orders.ts'
import { TEXTS } from '../../../resource-type/text-order.ts'
import type { UserGroup } from '../accounts.ts'
import { acceptanceOf, noNearest } from '../../shared/acceptance-of.ts'
import { isAdminGroup } from '../administrators.ts'
import { missingAccount } from '../../shared/accounts.ts'
import { refusesLogin } from '../../shared/login-shell.ts'
import { LAST_WAY_IN, type UserDesired, type UserState, type UserStep } from './wanted.ts'

/** Compares what passwd and group say of an account. */
export function compareFields(wanted: UserDesired, state: UserState): readonly PartialDecision<UserStep>[] {
  return [
    compareUid(wanted, state),
    compareGroup(wanted, state),
    compareGroups(wanted, state),
    compareText({ property: 'home', option: '-d' }, wanted, state),
    compareText({ property: 'shell', option: '-s' }, wanted, state),
    compareText({ property: 'comment', option: '-c' }, wanted, state),
  ]
}

function compareUid({ name, uid }: UserDesired, { account }: UserState): PartialDecision<UserStep> {
  if (uid === undefined || isAccepted(NUMBERS, acceptanceOf(uid), account.uid)) return AS_WANTED
  const reason = `files would keep uid ${account.uid}: change ${name} with usermod -u and its files with chown`
  return refused({ property: 'uid', desired: uid, observed: account.uid }, reason)
}

/** Stands for a group that there is not. */
const NO_GROUP = -1

const IDS: ValueOrder<number> = { equals: (left, right) => left === right && left !== NO_GROUP }

/** A primary group is the same by its name and by its number. */
function compareGroup({ group }: UserDesired, { account, groups }: UserState): PartialDecision<UserStep> {
  if (group === undefined) return AS_WANTED
  const named = acceptanceOf(group)
  const accepted = mapAcceptance(named, (text) => gidOf(text, groups))
  if (isAccepted(IDS, accepted, account.gid)) return AS_WANTED
  const observed = groups.find(({ gid }) => gid === account.gid)?.name ?? String(account.gid)
  const drift = { property: 'group', desired: group, observed }
  const fixed = acceptedFor(IDS, accepted, account.gid)
  if (fixed === NO_GROUP || fixed === undefined) {
    const missing = valuesNamed(named).filter((text) => gidOf(text, groups) === NO_GROUP)
    const obstacles =
      missing.length === 0 ? [cannot(noNearest('group'))] : missing.map((text) => missingAccount('group', text))
    return { ...drifted(drift), obstacles }
  }
  return fixable(drift, ['-g', String(fixed)])
}

function gidOf(text: string, groups: readonly UserGroup[]): number {
  return isNumericId(text) ? Number(text) : (groups.find(({ name }) => name === text)?.gid ?? NO_GROUP)
}

/** The names of the groups that an account is a member of, beside its primary one. */
export function groupsOf(account: { readonly name: string }, groups: readonly UserGroup[]): readonly string[] {
  return [...new Set(groups.flatMap(({ name, members }) => (members.includes(account.name) ? [name] : [])))]
}

function compareGroups(
  { groups: wanted }: UserDesired,
  { account, groups, isGuarded }: UserState,
): PartialDecision<UserStep> {
  if (wanted === undefined) return AS_WANTED
  const accepted = acceptanceOf<readonly ListItem[], ListItem>(wanted)
  const observed = groupsOf(account, groups)
  if (isAccepted(SETS, accepted, observed)) return AS_WANTED
  const drift: Drift = { property: 'groups', desired: accepted, observed: observed.join(', ') }
  const fixed = acceptedFor(SETS, accepted, observed)
  if (fixed === undefined) return refused(drift, noNearest('groups'))
  const lost = observed.filter((name) => !fixed.includes(name))
  if (isGuarded && lost.length > 0) return refused(drift, `not removed from ${lost.join(', ')}: ${LAST_WAY_IN}`)
  const elsewhere = lost.filter((name) => !groups.some((group) => group.name === name && group.isInGroup))
  if (elsewhere.length > 0) return refused(drift, `${elsewhere.join(', ')}: not in /etc/group, so the members stay`)
  const ends = lost.some((name) => isAdminGroup({ name }))
  return { ...drifted(drift), steps: [{ program: 'usermod', options: ['-G', fixed.join(',')], ends }] }
}

interface TextField {
  readonly property: 'home' | 'shell' | 'comment'
  readonly option: string
}

function compareText(
  { property, option }: TextField,
  wanted: UserDesired,
  state: UserState,
): PartialDecision<UserStep> {
  const text = wanted[property]
  const observed = state.account[property]
  if (text === undefined || isAccepted(TEXTS, acceptanceOf(text), observed)) return AS_WANTED
  const drift = { property, desired: text, observed }
  const fixed = acceptedFor(TEXTS, acceptanceOf(text), observed)
  if (fixed === undefined) return refused(drift, noNearest(property))
  const shutsOut = property === 'shell' && state.isGuarded && (refusesLogin(fixed) || !state.hasShell)
  if (shutsOut) return refused(drift, `${fixed} prevents logins: ${LAST_WAY_IN}`)
  return fixable(drift, [option, fixed])
}

function fixable(drift: Drift, options: readonly string[]): PartialDecision<UserStep> {
  return { ...drifted(drift), steps: [{ program: 'usermod', options }] }
}
