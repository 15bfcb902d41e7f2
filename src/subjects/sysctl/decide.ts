import { type Acceptance, acceptedFor, isAccepted } from '../../model/acceptance.ts'
import { type Decision, NO_PLAN, type Obstacle, type Plan } from '../../model/decision.ts'
import { cannot, differences, missing } from '../../model/differences.ts'
import type { Drift } from '../../model/drift.ts'
import { cannotBeMetHere, shadowedBy } from '../../model/notes.ts'
import { known, type Reading, type Seen } from '../../model/observation.ts'
import { AS_WANTED, drifted, mergeParts, type PartialDecision, undecided } from '../../model/partial-decision.ts'
import { type StoredSysctl, sysctlPath, type Winner, winnerOf } from './sysctl-conf.ts'
import { compareNamed, namedInterfaces } from './at-rest.ts'
import { noNumber, setBy, unclearLine } from './words.ts'
import { interfacePath, effectiveValue, joiningOf, type PerInterface, perInterface } from './interfaces.ts'
import { ownFile, withLines } from './own-file.ts'
import { acceptanceOf, noNearest } from '../shared/acceptance-of.ts'
import { FIELD_TEXTS } from '../../resource-type/text-order.ts'
import { asTaken, asTakenAtBoot } from './values.ts'

/** Properties of a policy that are observed, decided and applied. */
export interface SysctlDesired {
  readonly name: string
  readonly value: string | Acceptance<string>
  readonly if_absent: 'drift' | 'compliant'
  readonly if_unstored: 'drift' | 'compliant'
}

export interface InterfaceValue {
  readonly name: string
  readonly value: string
  /** Whether the interface forwards packets, as on a router. */
  readonly forwarding: boolean
}

/** Observed values in the spelling of `canonical`. */
export interface SysctlState {
  /** Unknown if the system is not running. */
  readonly value: Reading<string>
  /** Value of `all`, for a parameter with interfaces. */
  readonly all: Reading<string>
  readonly interfaces: Reading<readonly InterfaceValue[]>
  readonly stored: Reading<StoredSysctl>
}

/** Actions of a fix: parameters to set now, and the file that sets them at boot. */
export interface SysctlAction {
  readonly set: readonly { readonly path: string; readonly value: string }[]
  readonly store?: { readonly file: string; readonly text: string }
}

/** Parameter to compare. */
export interface Question {
  readonly path: string
  readonly wanted: SysctlDesired['value']
  readonly accepted: Acceptance<string>
  readonly scope: PerInterface | undefined
  readonly state: SysctlState
  readonly mustBeStored: boolean
}

/** Compares the desired value with the current value, with every interface, and with the value after the next boot. */
export function decideSysctl(
  { name, value: wanted, if_absent: ifAbsent, if_unstored: ifUnstored }: SysctlDesired,
  observed: Seen<SysctlState>,
): Decision<SysctlAction> {
  const path = sysctlPath(name)
  if (observed.kind === 'absent') return decideAbsent(path, ifAbsent)
  const { state } = observed
  const [accepted, mustBeStored] = [acceptanceOf(wanted), ifUnstored === 'drift']
  const question = { path, wanted, accepted, scope: perInterface(path), state, mustBeStored }
  const now = compareNow(question)
  const interfaces = compareInterfaces(question)
  const stored = compareStored(question, interfaces.steps)
  const { drift, unknown } = mergeParts([now, interfaces, stored])
  return {
    ensure: { desired: 'present', observed: 'present' },
    drift,
    unknown,
    comparesStored: isStoredCompared(question),
    plan: drift.length === 0 ? NO_PLAN : planFor(question, [...now.steps, ...interfaces.steps], stored.steps),
  }
}

function decideAbsent(path: string, ifAbsent: SysctlDesired['if_absent']): Decision<SysctlAction> {
  const reason = cannotBeMetHere(`the kernel has no parameter ${path}`)
  if (ifAbsent === 'compliant') {
    return differences([], {
      ensure: { desired: 'present', observed: 'absent' },
      messages: [`the kernel has no parameter ${path}`],
    })
  }
  return missing({
    obstacles: [
      cannot(`${reason}; if its absence is acceptable, set if_absent: compliant`, { mayComeWithRequirement: true }),
    ],
  })
}

function compareNow({ path, wanted, accepted, state }: Question): PartialDecision<string> {
  const { value } = state
  if (value.kind === 'unknown') return undecided('value', value)
  if (isAccepted(FIELD_TEXTS, accepted, value.value)) return AS_WANTED
  return { ...drifted({ property: 'value', desired: wanted, observed: value.value }), steps: [path] }
}

/** Compares the effective value of each interface, beyond the values of `all` and `default`. */
function compareInterfaces(question: Question): PartialDecision<string> {
  const { wanted, accepted, scope, state } = question
  if (scope === undefined) return AS_WANTED
  const { all, interfaces } = state
  if (interfaces.kind === 'unknown') return undecided('interface', interfaces)
  if (all.kind === 'unknown') return undecided('interface', all)
  const judged = allAsWanted(question, all.value)
  const parts = interfaces.value.map((each): PartialDecision<string> => {
    const observed = effectiveValue(joiningOf(scope), judged, each.value, each.forwarding)
    if (observed === undefined) return undecided('interface', noNumber(each))
    if (isAccepted(FIELD_TEXTS, accepted, observed)) return AS_WANTED
    const ofAll = judged === all.value ? `all has ${judged}` : `even once all has ${judged}`
    const note = `${each.name} has ${each.value}, ${ofAll}; ${RULES[joiningOf(scope)]}`
    const drift = { property: 'interface', desired: wanted, observed, path: each.name, note }
    return { ...drifted(drift), steps: [interfacePath(scope, each.name)] }
  })
  return mergeParts(parts)
}

/** Drift of `all` itself is reported separately, so it does not count as drift of the interfaces. */
function allAsWanted({ accepted, scope }: Question, value: string): string {
  return scope?.scope === 'all' ? (acceptedFor(FIELD_TEXTS, accepted, value) ?? value) : value
}

const RULES: Readonly<Record<ReturnType<typeof joiningOf>, string>> = {
  maximum: 'the kernel uses the larger value',
  minimum: 'the kernel uses the smaller value',
  either: 'either value enables it',
  both: 'it is enabled only if both are set',
  redirects: 'it needs both values on a router, and either on a host',
  interface: 'the kernel uses the value of the interface only',
}

/** Compares the stored values of the parameter and of existing interfaces. `weak` are those that must be stored as well. */
function compareStored(question: Question, weak: readonly string[]): PartialDecision<string> {
  const { path, wanted, accepted, scope, state } = question
  const { stored, interfaces } = state
  if (stored.kind === 'unknown') return undecided('stored', stored)
  const winner = winnerOf(stored.value, path)
  if (winner.kind === 'unclear') return undecided('stored', unclearLine(winner.assignment))
  const own = isRight(question, winner)
    ? AS_WANTED
    : { ...drifted(storedDrift(question, stored.value, winner)), steps: [path] }
  if (interfaces.kind === 'unknown' && scope !== undefined) {
    const named = namedInterfaces(stored.value, scope)
    return mergeParts([own, ...named.map((name) => compareNamed({ wanted, accepted, scope }, stored.value, name))])
  }
  const names = interfaces.kind === 'known' ? interfaces.value : []
  const others =
    scope === undefined
      ? []
      : names.map((each): PartialDecision<string> => {
          const at = interfacePath(scope, each.name)
          const set = winnerOf(stored.value, at)
          if (set.kind === 'unclear') return undecided('stored', unclearLine(set.assignment))
          if (set.kind === 'none') return { ...AS_WANTED, steps: weak.includes(at) ? [at] : [] }
          const observed = storedOn(question, scope, { each, text: set.assignment.value, stored: stored.value })
          if (observed.kind === 'unknown') return undecided('stored', observed)
          if (isAccepted(FIELD_TEXTS, accepted, observed.value)) return AS_WANTED
          const drift = {
            property: 'stored',
            desired: wanted,
            observed: observed.value,
            path: each.name,
            note: setBy(set.assignment),
          }
          return { ...drifted(drift), steps: [at] }
        })
  return mergeParts([own, ...others])
}

/** Value of an interface after boot: its own, joined with the stored or current value of `all`. */
function storedOn(
  question: Question,
  scope: PerInterface,
  { each, text, stored }: { readonly each: InterfaceValue; readonly text: string; readonly stored: StoredSysctl },
): Reading<string> {
  const { all } = question.state
  if (all.kind === 'unknown') return all
  const winner = winnerOf(stored, interfacePath(scope, 'all'))
  const allThen = winner.kind === 'set' ? asTaken(winner.assignment.value, all.value) : all.value
  const value = effectiveValue(
    joiningOf(scope),
    allAsWanted(question, allThen),
    asTaken(text, each.value),
    each.forwarding,
  )
  return value === undefined ? noNumber(each) : known(value)
}

function isRight({ accepted, state, mustBeStored }: Question, winner: Winner): boolean {
  if (winner.kind === 'none') return !mustBeStored
  return winner.kind === 'set' && isAccepted(FIELD_TEXTS, accepted, formatTaken(winner.assignment, { accepted, state }))
}

/** A parameter without a stored value is only compared if it must be stored. */
function isStoredCompared({ path, state: { stored }, mustBeStored }: Question): boolean {
  return stored.kind === 'known' && (mustBeStored || winnerOf(stored.value, path).kind === 'set')
}

function formatTaken(
  { value: written }: { readonly value: string },
  { accepted, state: { value: now } }: Pick<Question, 'accepted' | 'state'>,
): string {
  return now.kind === 'known' ? asTaken(written, now.value) : asTakenAtBoot(written, accepted)
}

function storedDrift(question: Question, stored: StoredSysctl, winner: Winner): Drift {
  const { path, wanted, accepted } = question
  if (winner.kind !== 'set') {
    return { property: 'stored', desired: wanted, observed: null, note: 'no file sets it at boot' }
  }
  const { assignment } = winner
  const isShadowing = stored.lists.flat().some(({ key, value }) => {
    return key === path && value !== undefined && isAccepted(FIELD_TEXTS, accepted, formatTaken({ value }, question))
  })
  const note = isShadowing ? shadowedBy(assignment) : setBy(assignment)
  return { property: 'stored', desired: wanted, observed: formatTaken(assignment, question), note }
}

/**
 * Sets values that are not accepted, and stores them in driftgate's own file. Reports settings that override this file, and
 * interfaces whose effective value is that of `all` alone.
 */
function planFor(question: Question, now: readonly string[], stored: readonly string[]): Plan<SysctlAction> {
  const { path, accepted, state } = question
  const value = acceptedFor(FIELD_TEXTS, accepted, state.value.kind === 'known' ? state.value.value : undefined)
  if (value === undefined) {
    return { kind: 'refuse', obstacles: [cannot(noNearest())] }
  }
  const set = now.map((each) => ({ path: each, value }))
  const file = ownFile(path)
  const after = state.stored.kind === 'known' ? withLines(state.stored.value, file, stored, value) : undefined
  const obstacles = [
    ...(after === undefined ? [] : stored.flatMap((each) => whoWins(question, after.stored, each))),
    ...allObstacles(question, value, now),
  ]
  const action = { set, ...(after === undefined || stored.length === 0 ? {} : { store: { file, text: after.text } }) }
  const [first, ...others] = obstacles
  const effects = [
    ...(action.store === undefined ? [] : [{ kind: 'write', object: file } as const]),
    ...set.map((each) => ({ kind: 'write', object: `/proc/sys/${each.path}` }) as const),
  ]
  const text = `Would have set the parameter to ${value}`
  const act = { kind: 'act', action, text, effects, obstacles: [] } as const
  return first === undefined ? act : { ...act, leaves: [first, ...others] }
}

/** Settings that still override driftgate's own file. */
function whoWins(question: Question, after: StoredSysctl, path: string): readonly Obstacle[] {
  const winner = winnerOf(after, path)
  const isOurs = winner.kind === 'set' && winner.assignment.file === ownFile(question.path)
  if (winner.kind === 'none' || isOurs || (path === question.path && isRight(question, winner))) return []
  const { remedy = 'remove that line' } = winner.assignment
  return [cannot(`${shadowedBy(winner.assignment)}, which is read after ${ownFile(question.path)}: ${remedy}`)]
}

function allObstacles(
  { accepted, scope, state }: Question,
  value: string,
  now: readonly string[],
): readonly Obstacle[] {
  if (scope?.scope !== 'default' || state.all.kind === 'unknown' || state.interfaces.kind === 'unknown') return []
  const all = state.all.value
  const isKept = state.interfaces.value.some((each) => {
    if (!now.includes(interfacePath(scope, each.name))) return false
    const then = effectiveValue(joiningOf(scope), all, value, each.forwarding)
    return then === undefined || !isAccepted(FIELD_TEXTS, accepted, then)
  })
  const path = interfacePath(scope, 'all')
  return isKept ? [cannot(`${path} is ${all}, which applies to every interface: add a resource for it`)] : []
}
