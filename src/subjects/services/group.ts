import type { Decision, Occasion } from '../../model/decision.ts'
import type { Seen } from '../../model/observation.ts'
import { decideGroup, type GroupOfType, unclearMember } from '../shared/decide-group.ts'
import { groupIn, type GroupMember, type GroupObserved, type GroupDesired } from '../shared/group.ts'
import {
  decideService,
  type ServiceAction,
  type ServiceContext,
  type ServiceState,
  type ServiceDesired,
} from './decide.ts'

export type ServiceOrGroup = Omit<ServiceDesired, 'ensure'> & {
  readonly ensure?: ServiceDesired['ensure'] | undefined
} & GroupDesired

export type ServiceOrGroupObserved = ServiceState | GroupObserved<ServiceState, ServiceContext>

/** The desired state of a single service; running by default. */
export function oneService({ name, ensure = 'running', enable, masked }: ServiceOrGroup): ServiceDesired {
  return { name, ensure, enable, masked }
}

/** Compares a service, or each service of a group, with its unit. */
export function decideServices(
  desired: ServiceOrGroup,
  observed: Seen<ServiceOrGroupObserved, ServiceContext>,
  occasion: Occasion,
): Decision<ServiceAction> {
  const seen = groupIn(observed)
  if (seen === undefined) {
    return decideService(oneService(desired), observed as Seen<ServiceState, ServiceContext>, occasion)
  }
  const members = differentUnits(seen.members).map((member) => ({
    name: member.name,
    on: decideMember(member, 'running', occasion),
    off: decideMember(member, 'stopped', occasion),
  }))
  return decideGroup(seen.group, members, SERVICES)
}

type Member = GroupMember<ServiceState, ServiceContext>

const SERVICES: GroupOfType<ServiceAction> = {
  property: 'active',
  combine(steps) {
    const units = steps.flatMap(({ action: { unit, steps: own, starters = [] } }) => [
      ...starters,
      { unit, steps: own },
    ])
    const last = units.at(-1)
    if (last === undefined) throw new Error('an action for no service')
    return { ...last, starters: units.slice(0, -1) }
  },
}

/** Drops members that are aliases of an earlier member. */
function differentUnits(members: readonly Member[]): readonly Member[] {
  const units = members.map(({ seen }) => (seen.kind === 'present' ? seen.state.unit : undefined))
  return members.filter((_, index) => units[index] === undefined || units.indexOf(units[index]) === index)
}

function decideMember({ seen }: Member, ensure: ServiceDesired['ensure'], occasion: Occasion): Decision<ServiceAction> {
  if (seen.kind === 'unknown') return unclearMember(SERVICES, ensure, seen)
  return decideService(
    { ensure, enable: ensure === 'running' },
    ensure === 'running' ? withoutStarters(seen) : seen,
    occasion,
  )
}

/** Starters are irrelevant to a service that must run. */
function withoutStarters(seen: Seen<ServiceState, ServiceContext>): Seen<ServiceState, ServiceContext> {
  if (seen.kind === 'absent') return seen
  const { starters: _, ...state } = seen.state
  return { ...seen, state }
}
