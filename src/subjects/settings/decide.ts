import { type Acceptance, acceptedFor, isAccepted, type ValueOrder } from '../../model/acceptance.ts'
import { type Decision, NO_PLAN, type Obstacle, type Plan } from '../../model/decision.ts'
import { cannot, differences, missing } from '../../model/differences.ts'
import { defined } from '../../model/defined.ts'
import type { Drift, UnknownProperty } from '../../model/drift.ts'
import { pendingReboot, shadowedBy } from '../../model/notes.ts'
import type { Seen } from '../../model/observation.ts'
import { matchesWhole } from '../../resource-type/text-order.ts'
import { valueOf } from '../../settings/effective.ts'
import type { FormatName } from './formats.ts'
import type { Assignment } from '../../settings/assignment.ts'
import type { Effective, KeyRules } from '../../settings/surface.ts'
import { acceptanceOf, noNearest } from '../shared/acceptance-of.ts'
import { type Change, planSetting, type SettingAction, type SettingContext } from './plan.ts'

export interface SettingDesired {
  readonly name: string
  readonly ensure: 'present' | 'absent'
  readonly value?: string | Acceptance<string> | undefined
  readonly explicit: boolean
  readonly match?: string | undefined
  readonly format?: FormatName | undefined
  readonly default?: string | undefined
  readonly if_absent: 'create' | 'drift' | 'compliant'
}

/** The effective values: for all users first, then for scopes with another value. */
export interface SettingState {
  readonly effective: readonly [Effective, ...Effective[]]
}

/** The comparison of a key's values, with patterns. */
export function orderOf(rules: KeyRules): ValueOrder<string> {
  return { ...rules.order, isMatch: matchesWhole }
}

interface Question {
  readonly wanted: SettingDesired
  readonly rules: KeyRules
  readonly isRight: (effective: Effective) => boolean
  readonly isRightValue: (value: string) => boolean
}

/** Compares the effective values with the desired ones, for all users and for each scope with another value. */
export function decideSetting(
  wanted: SettingDesired,
  observed: Seen<SettingState, SettingContext>,
): Decision<SettingAction> {
  const { context } = observed
  const { surface, key } = context
  if (observed.kind === 'absent' && wanted.if_absent !== 'create') return decideAbsent(wanted, surface.name)
  const rules = surface.rulesOf(key, context.files)
  const effective = observed.kind === 'absent' ? ([UNWRITTEN] as const) : observed.state.effective
  const question = questionOf(wanted, rules)
  const wrong = effective.filter((each) => !question.isRight(each))
  const certain = wrong.filter((each) => isCertain(each, effective, wrong))
  const drift = certain.flatMap((each) => driftOf(question, each))
  const unknown = wrong.filter((each) => !certain.includes(each)).map((each) => unknownIn(question, each))
  const [first] = drift
  const ensure = {
    desired: wanted.ensure,
    observed: effective.some(({ winners }) => winners.length > 0) ? 'present' : 'absent',
  }
  if (first === undefined) return { ensure, drift, unknown, plan: NO_PLAN }
  const change = changeFor(question, effective)
  const plan: Plan<SettingAction> =
    'reason' in change ? { kind: 'refuse', obstacles: [change] } : planSetting(context, change, question.isRight)
  const isPending = plan.kind === 'act' && plan.action.activation.kind === 'reboot'
  const messages = isPending ? [pendingReboot(plan.action.activation.why)] : []
  return { ensure, drift, unknown, plan, ...(messages.length === 0 ? {} : { messages }) }
}

/** Whether the drift is certain: the value is effective, or all values that may replace it have drifted, too. */
function isCertain({ scope, doubt }: Effective, effective: readonly Effective[], wrong: readonly Effective[]): boolean {
  if (doubt === undefined) return true
  return effective.every((each) => each.scope !== scope || (wrong.includes(each) && isClear(each)))
}

function isClear({ winners }: Effective): boolean {
  return winners.every(({ unclear }) => unclear === undefined)
}

function unknownIn({ wanted }: Question, { doubt, scope }: Effective): UnknownProperty {
  const property = wanted.value === undefined ? 'ensure' : 'value'
  return { property, reason: 'not-observable', detail: [scope, doubt].join(': ') }
}

const UNWRITTEN: Effective = { winners: [], losers: [] }

function decideAbsent({ if_absent: ifAbsent }: SettingDesired, name: string): Decision<SettingAction> {
  const what = name.startsWith('/') ? `${name} does not exist` : `the program that reads ${name} is not installed`
  if (ifAbsent === 'compliant') {
    return differences([], { ensure: { desired: 'present', observed: 'absent' }, messages: [what] })
  }
  return missing({
    obstacles: [
      cannot(`${what}; if its absence is acceptable, set if_absent: compliant`, { mayComeWithRequirement: true }),
    ],
  })
}

const WORDS: readonly [on: RegExp, off: RegExp] = [/^(?:true|yes|on)$/i, /^(?:false|no|off)$/i]

/** The accepted values, with the program's words for booleans. */
function acceptanceIn(
  { switch: words }: KeyRules,
  value: NonNullable<SettingDesired['value']>,
): ReturnType<typeof acceptanceOf<string>> {
  const accepted = acceptanceOf(value)
  if (words === undefined) return accepted
  const said = (each: unknown): unknown => {
    if (Array.isArray(each)) return each.map(said)
    const word = WORDS.findIndex((pattern) => typeof each === 'string' && pattern.test(each))
    return words[word] ?? each
  }
  return Object.fromEntries(Object.entries(accepted).map(([name, each]) => [name, said(each)]))
}

function questionOf(wanted: SettingDesired, rules: KeyRules): Question {
  const { value, ensure, explicit } = wanted
  const isRightValue = (text: string): boolean =>
    value === undefined || isAccepted(orderOf(rules), acceptanceIn(rules, value), text)
  return {
    wanted,
    rules,
    isRightValue,
    isRight(effective) {
      const isWritten = effective.winners.length > 0
      if (!isClear(effective)) return false
      if (ensure === 'absent') return !isWritten
      // A scope without a value of its own inherits the value for all users.
      if (!isWritten && effective.scope !== undefined && effective.standsAlone !== true) return true
      if (!isWritten && (explicit || value === undefined)) return false
      const used = valueOf(effective, rules)
      return used !== undefined && isRightValue(used)
    },
  }
}

function driftOf({ wanted, rules, isRightValue }: Question, effective: Effective): readonly Drift[] {
  const { winners, losers, scope } = effective
  const [winner] = winners
  const desired = wanted.value
  if (desired === undefined) {
    const at = defined({ path: scope, note: winner && setBy(winner) })
    return [
      { property: 'ensure', desired: wanted.ensure, observed: winner === undefined ? 'absent' : 'present', ...at },
    ]
  }
  const observed = valueOf(effective, rules) ?? null
  if (winner !== undefined) {
    const isShadowing = losers.some(({ value, unclear }) => unclear === undefined && isRightValue(value))
    const note = isShadowing ? shadowedBy(winner) : setBy(winner)
    return [{ property: 'value', desired, observed, ...defined({ path: scope }), note }]
  }
  if (observed !== null && isRightValue(observed)) {
    const note = `${stateOf(losers)}: ${observed} is the default`
    return [{ property: 'explicit', desired: true, observed: false, ...defined({ path: scope }), note }]
  }
  const unset = effective.unused ?? 'the default is unknown'
  const note = observed === null ? `${stateOf(losers)}, and ${unset}` : `${stateOf(losers)}: this is the default`
  return [{ property: 'value', desired, observed, ...defined({ path: scope }), note }]
}

/** Why nothing is effective: no line, or one with a value that the program ignores. */
function stateOf(losers: readonly Assignment[]): string {
  const last = losers.at(-1)
  return last === undefined ? 'not set' : `${last.file}:${last.line} has no effect`
}

function changeFor({ wanted, rules, isRight }: Question, effective: SettingState['effective']): Change | Obstacle {
  const [forAll] = effective
  if (wanted.ensure === 'absent') return removalChange(effective)
  const wrong = effective.filter((each) => !isRight(each))
  if (isRight(forAll) && wrong.every(({ remedy, winners }) => remedy !== undefined || winners.length > 0)) {
    const lines = wrong.flatMap(({ remedy, winners }) => (remedy === undefined ? winners : []))
    const places = [...new Set(lines.map(({ file, line }) => `${file}:${line}`))]
    const removal = `remove the lines that apply to some scopes only: ${places.join(', ')}`
    const remedies = new Set(wrong.flatMap(({ remedy }) => remedy ?? []))
    return cannot([...(places.length === 0 ? [] : [removal]), ...remedies].join('; '))
  }
  const isFlag = rules.isFlag === true
  if (wanted.value === undefined) {
    return isFlag ? { kind: 'set', value: '', current: forAll } : cannot('set "value" to the value to write')
  }
  const accepted = acceptanceIn(rules, wanted.value)
  // Items are added to an empty list where nothing is written and the default is unknown.
  const empty = rules.wins === 'all' && accepted.includes !== undefined ? '' : undefined
  const value = acceptedFor(orderOf(rules), accepted, valueOf({ ...forAll, unused: undefined }, rules) ?? empty)
  if (isFlag && value === 'true') return { kind: 'set', value: '', current: forAll }
  if (isFlag && value === 'false') return removalChange(effective)
  if (value === undefined) return cannot(noNearest())
  return { kind: 'set', value, current: forAll }
}

function removalChange(effective: SettingState['effective']): Change {
  return { kind: 'remove', assignments: effective.flatMap(({ winners, losers }) => [...winners, ...losers]) }
}

function setBy({ file, line }: Assignment): string {
  return `set by ${file}:${line}`
}
