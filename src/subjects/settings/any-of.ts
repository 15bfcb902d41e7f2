import { type Acceptance, formatAcceptance, isAcceptance } from '../../model/acceptance.ts'
import { type Decision, NO_PLAN, type Plan } from '../../model/decision.ts'
import { cannot } from '../../model/differences.ts'
import type { Drift } from '../../model/drift.ts'
import { formatValue } from '../../model/format-value.ts'
import type { Observation, Seen } from '../../model/observation.ts'
import { decideSetting, type SettingState, type SettingDesired } from './decide.ts'
import type { SettingAction, SettingContext } from './plan.ts'

/** The desired state of one setting, or of alternatives of which one must be compliant. */
export interface SettingOrAny extends SettingDesired {
  readonly any_of?: Readonly<Record<string, string | Acceptance<string>>> | undefined
}

/** One of several alternatives, observed as a separate setting. */
interface Member {
  readonly wanted: SettingDesired
  readonly seen: Observation<SettingState, SettingContext>
}

/** The observed state of all alternatives. */
export interface AnyObserved {
  readonly members: readonly Member[]
}

export type SettingOrAnyObserved = Seen<SettingState | AnyObserved, SettingContext | undefined>

/** Matches any written value of a member. */
const PRESENT = 'present'

const ABSENT = { desired: PRESENT, observed: 'absent' }

/** The alternatives as separate settings; empty for a single setting. */
export function membersOf({ any_of: members = {}, ...wanted }: SettingOrAny): readonly SettingDesired[] {
  return Object.entries(members).map(([name, value]) => ({
    ...wanted,
    name,
    value: value === PRESENT ? undefined : value,
  }))
}

export function eitherOf(
  observed: SettingOrAnyObserved,
):
  | { readonly one: Seen<SettingState, SettingContext>; readonly members?: undefined }
  | { readonly one?: undefined; readonly members: AnyObserved['members'] } {
  if (observed.kind === 'present' && 'members' in observed.state) return observed.state
  // Without members it is a single setting, which always has a context.
  return { one: observed as Seen<SettingState, SettingContext> }
}

/** Compares a setting, or alternatives of which one must be compliant, with the effective values. */
export function decideSettings(wanted: SettingOrAny, observed: SettingOrAnyObserved): Decision<SettingAction> {
  const either = eitherOf(observed)
  return either.members === undefined ? decideSetting(wanted, either.one) : decideAny(wanted, either.members)
}

interface Decided {
  readonly wanted: SettingDesired
  readonly decision: Decision<SettingAction>
}

function decideAny({ if_absent: ifAbsent }: SettingOrAny, members: readonly Member[]): Decision<SettingAction> {
  // A missing program is compliant only if the programs of all alternatives are missing.
  const areMissing = ifAbsent === 'compliant' && members.every(({ seen }) => seen.kind === 'absent')
  const decided = members.map((member) => decideMember(member, ifAbsent === 'compliant' && !areMissing))
  const right = decided.find(({ decision }) => decision.drift.length === 0 && decision.unknown.length === 0)
  if (right !== undefined) return right.decision
  const unknown = decided
    .filter(({ decision }) => decision.drift.length === 0)
    .flatMap(({ wanted: { name }, decision }) =>
      decision.unknown.map(({ reason, detail }) => ({ property: 'any_of', reason, detail: `${name}: ${detail}` })),
    )
  if (unknown.length > 0) return { ensure: ABSENT, drift: [], unknown, plan: NO_PLAN }
  const chosen = decided.find(({ wanted: { value } }) => isAcceptance(value) && value.fix !== undefined)
  const messages = chosen?.decision.messages
  const drift: Drift = {
    property: 'any_of',
    desired: decided.map(({ wanted }) => describeWanted(wanted)).join(', or '),
    observed: decided.map(describeFound).join(', '),
  }
  return {
    ensure: ABSENT,
    drift: [drift],
    unknown: [],
    plan: chosen?.decision.plan ?? whichOne(decided),
    ...(messages === undefined ? {} : { messages }),
  }
}

function decideMember({ wanted, seen }: Member, isRequired: boolean): Decided {
  if (seen.kind !== 'unknown') {
    return { wanted, decision: decideSetting(isRequired ? { ...wanted, if_absent: 'drift' } : wanted, seen) }
  }
  const { reason, detail } = seen
  const unknown = [{ property: 'any_of', reason, detail }]
  return { wanted, decision: { ensure: ABSENT, drift: [], unknown, plan: NO_PLAN } }
}

function whichOne(decided: readonly Decided[]): Plan<never> {
  const names = decided.map(({ wanted: { name } }) => name).join(', ')
  return {
    kind: 'refuse',
    obstacles: [cannot(`set one of ${names}, or give one a "fix" value: a fix does not choose`)],
  }
}

function describeWanted({ name, value }: SettingDesired): string {
  if (value === undefined) return `${name} ${PRESENT}`
  return `${name} ${isAcceptance(value) ? formatAcceptance(value, formatValue) : formatValue(value)}`
}

function describeFound({ wanted: { name }, decision: { drift } }: Decided): string {
  const found = drift.map(({ property, observed, path, note }) => {
    const what = property === 'explicit' ? '' : formatValue(observed)
    return [what, path === undefined ? '' : `for ${path}`, note === undefined ? '' : `(${note})`]
      .filter((part) => part !== '')
      .join(' ')
  })
  return `${name} ${found.join(' and ')}`
}
