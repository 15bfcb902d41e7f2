import { type Decision, NO_PLAN, type Obstacle, type Plan } from '../../model/decision.ts'
import { unreadable } from '../../model/differences.ts'
import type { UndecidedProperty } from '../../model/drift.ts'
import { describeEffects, type Effect } from '../../model/effect.ts'
import { formatValue } from '../../model/format-value.ts'
import type { Unknown } from '../../model/observation.ts'
import { describeGroup, type Group } from './group.ts'

/** One of a group, decided about as a resource of its own. */
interface MemberDecisions<Action> {
  readonly name: string
  /** As one that has to be there. */
  readonly on: Decision<Action>
  /** As one that must not be: of one that is half there this, too, is drift. */
  readonly off: Decision<Action>
}

/** What a group of a type is called, and how the actions for some of its members become one. */
export interface GroupOfType<Action> {
  readonly property: string
  readonly combine: (steps: readonly MemberStep<Action>[]) => Action
}

/** An action for a member. */
interface MemberStep<Action> {
  readonly name: string
  readonly action: Action
}

/** What the members come to: nothing to do, not to be told, or a difference, of which a part may not be told either. */
interface Judgement<Action> {
  readonly plan?: Plan<Action>
  readonly unclear?: readonly UndecidedProperty[]
}

/** A member of which it is unknown whether it is there. */
export function unclearMember(
  { property }: Pick<GroupOfType<never>, 'property'>,
  ensure: string,
  why: Unknown,
): Decision<never> {
  const unknown = [unreadable(property, why)]
  return { ensure: { desired: ensure, observed: 'unknown' }, drift: [], unknown, plan: NO_PLAN }
}

/** Compares a group with what was seen of its members. What is half there is not what is wanted, and in the way of others. */
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
  return `say which one stays: ${there.map(({ name }) => name).join(', ')} are all there, and a fix does not choose`
}

/** Whether what was wanted is so. */
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

/** What there is of one that is not there as it would have to be. */
function halfThere({ name, on, off }: MemberDecisions<unknown>): readonly string[] {
  if (answerOf(on) === 'yes') return []
  return off.drift.map(({ property, observed }) => `${name}: ${property} is ${formatValue(observed)}`)
}

/** One that is half there is completed; else the first is taken for which nothing stands in the way. */
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
  return { ...plan, action: combine([{ name, action: plan.action }]), ...said(effectsOf(name, plan)) }
}

/** What stands in the way of one does not keep the others. */
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
  return { kind: 'act', action, ...said(effects), obstacles: [], ...left }
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

/** What is done, with the name of the one that it is done to. */
function effectsOf(name: string, { effects = [] }: Act<unknown>): readonly Effect[] {
  return effects.map(({ kind, object }) => ({
    kind,
    object: object.replace(/^the (?:package|service)$/, `$& ${name}`),
  }))
}

function said(effects: readonly Effect[]): { readonly text: string; readonly effects: readonly Effect[] } {
  return { text: `Would have ${describeEffects(effects, 'done')}`, effects }
}
