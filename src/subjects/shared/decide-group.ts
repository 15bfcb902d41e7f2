import { type Decision, NO_PLAN, type Obstacle, type Plan } from '../../model/decision.ts'
import { unreadable } from '../../model/differences.ts'
import type { UndecidedProperty } from '../../model/drift.ts'
import { describeEffects, type Effect } from '../../model/effect.ts'
import { formatValue } from '../../model/format-value.ts'
import type { Unknown } from '../../model/observation.ts'
import { describeGroup, type Group } from './group.ts'

/** Decisions for one member of a group, as if it were a resource of its own. */
interface MemberDecisions<Action> {
  readonly name: string
  /** Decision with `ensure: present`. */
  readonly on: Decision<Action>
  /** Decision with `ensure: absent`; a partly present member drifts here too. */
  readonly off: Decision<Action>
}

export interface GroupOfType<Action> {
  readonly property: string
  readonly combine: (steps: readonly MemberStep<Action>[]) => Action
}

interface MemberStep<Action> {
  readonly name: string
  readonly action: Action
}

/** Result for all members: compliant, unknown, or a plan that may leave members unknown. */
interface Judgement<Action> {
  readonly plan?: Plan<Action>
  readonly unclear?: readonly UndecidedProperty[]
}

export function unclearMember(
  { property }: Pick<GroupOfType<never>, 'property'>,
  ensure: string,
  why: Unknown,
): Decision<never> {
  const unknown = [unreadable(property, why)]
  return { ensure: { desired: ensure, observed: 'unknown' }, drift: [], unknown, plan: NO_PLAN }
}

/**
 * Compares a group with its observed members. A partly present member does not count as present, but conflicts with the others.
 */
export function decideGroup<Action>(
  group: Group,
  members: readonly MemberDecisions<Action>[],
  type: GroupOfType<Action>,
): Decision<Action> {
  const there = members.filter(isThere)
  const desired = describeGroup(group)
  const observed = there.length === 0 ? 'nothing' : there.map(({ name }) => name).join(', ')
  const { plan, unclear = [] } = judge(group, members, type)
  const unknown = unclear.map((each) => ({ ...each, property: type.property }))
  const ensure = { desired, observed }
  if (plan === undefined) return { ensure, drift: [], unknown, plan: NO_PLAN }
  const note = there.flatMap(halfThere).join('; ')
  const drift = { property: type.property, desired, observed, ...(note === '' ? {} : { note }) }
  return { ensure, drift: [drift], unknown, plan }
}

function judge<Action>(
  { kind }: Group,
  members: readonly MemberDecisions<Action>[],
  type: GroupOfType<Action>,
): Judgement<Action> {
  const there = members.filter(isThere)
  const [first] = there
  switch (kind) {
    case 'none_of': {
      const unclear = unclearOf(members, 'off')
      return first === undefined ? { unclear } : { plan: planRemoval(there, type), unclear }
    }
    case 'one_of': {
      if (members.some(({ on }) => answerOf(on) === 'yes')) return {}
      const unclear = unclearOf(members, 'on')
      return unclear.length > 0 ? { unclear } : { plan: planAddition(members, type) }
    }
    case 'exactly_one_of': {
      if (there.length > 1) return { plan: { kind: 'refuse', obstacles: [{ reason: whichStays(there) }] } }
      const unclear = [...unclearOf(members, 'off'), ...unclearOf(there, 'on')]
      if (unclear.length > 0) return { unclear }
      return first !== undefined && answerOf(first.on) === 'yes' ? {} : { plan: planAddition(members, type) }
    }
  }
}

function whichStays(there: readonly MemberDecisions<unknown>[]): string {
  return `a fix does not choose which to keep of ${there.map(({ name }) => name).join(', ')}: name the one to keep`
}

function answerOf({ drift, unknown }: Decision<unknown>): 'yes' | 'no' | 'unknown' {
  if (drift.length > 0) return 'no'
  return unknown.length > 0 ? 'unknown' : 'yes'
}

function isThere({ off }: MemberDecisions<unknown>): boolean {
  return answerOf(off) === 'no'
}

function unclearOf(members: readonly MemberDecisions<unknown>[], as: 'on' | 'off'): readonly UndecidedProperty[] {
  return members
    .filter((member) => answerOf(member[as]) === 'unknown')
    .flatMap((member) => member[as].unknown.map((each) => ({ ...each, detail: `${member.name}: ${each.detail}` })))
}

/** Drift of a member that is only partly present. */
function halfThere({ name, on, off }: MemberDecisions<unknown>): readonly string[] {
  if (answerOf(on) === 'yes') return []
  return off.drift.map(({ property, observed }) => `${name}: ${property} is ${formatValue(observed)}`)
}

/** Plans to complete a partly present member, or else to add the first member without obstacles. */
function planAddition<Action>(
  members: readonly MemberDecisions<Action>[],
  { combine }: GroupOfType<Action>,
): Plan<Action> {
  const half = members.filter(isThere)
  const candidates = half.length > 0 ? half : members
  const plans = candidates.map(({ name, on }) => ({ name, plan: on.plan }))
  const possible = plans.flatMap(({ name, plan }) => (plan.kind === 'act' ? [{ name, plan }] : []))
  const chosen = possible.find(({ plan }) => plan.obstacles.length === 0) ?? possible[0]
  if (chosen === undefined) return refuse(plans.flatMap(({ plan }) => obstaclesOf(plan)))
  const { name, plan } = chosen
  return { ...plan, action: combine([{ name, action: plan.action }]), ...withText(effectsOf(name, plan)) }
}

/** Plans to remove members; an obstacle of one does not block the others. */
function planRemoval<Action>(
  there: readonly MemberDecisions<Action>[],
  { combine }: GroupOfType<Action>,
): Plan<Action> {
  const plans = there.map(({ name, off }) => ({ name, plan: off.plan }))
  const possible = plans.flatMap(({ name, plan }) =>
    plan.kind === 'act' && plan.obstacles.length === 0 ? [{ name, plan }] : [],
  )
  const obstacles = plans.flatMap(({ plan }) => obstaclesOf(plan))
  if (possible.length === 0) return refuse(obstacles)
  const action = combine(possible.map(({ name, plan }) => ({ name, action: plan.action })))
  const effects = possible.flatMap(({ name, plan }) => effectsOf(name, plan))
  const [first, ...others] = obstacles
  const left = first === undefined ? {} : { leaves: [first, ...others] as const }
  return { kind: 'act', action, ...withText(effects), obstacles: [], ...left }
}

type Act<Action> = Extract<Plan<Action>, { kind: 'act' }>

function obstaclesOf(plan: Plan<unknown>): readonly Obstacle[] {
  if (plan.kind === 'none') return []
  return plan.kind === 'refuse' ? plan.obstacles : [...plan.obstacles, ...(plan.leaves ?? [])]
}

function refuse(obstacles: readonly Obstacle[]): Plan<never> {
  const [first, ...others] = obstacles
  if (first === undefined) throw new Error('drift without a plan and without a reason for the missing plan')
  return { kind: 'refuse', obstacles: [first, ...others] }
}

function effectsOf(name: string, { effects = [] }: Act<unknown>): readonly Effect[] {
  return effects.map(({ kind, object }) => ({
    kind,
    object: object.replace(/^the (?:package|service)$/, `$& ${name}`),
  }))
}

function withText(effects: readonly Effect[]): { readonly text: string; readonly effects: readonly Effect[] } {
  return { text: `Would have ${describeEffects(effects, 'done')}`, effects }
}
