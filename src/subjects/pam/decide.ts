import { baseName } from '../../model/file-name.ts'
import { isAcceptance, isAccepted, mapAcceptance, type ValueOrder } from '../../model/acceptance.ts'
import type { Decision, Obstacle } from '../../model/decision.ts'
import { cannot, differences, type Difference, unreadable } from '../../model/differences.ts'
import type { Seen } from '../../model/observation.ts'
import { canonicalControl, wantedActions } from './stack/control.ts'
import { isStack, moduleName, originOf, type PamEntry, type PamStack } from './stack/stack.ts'
import { type ArgumentFinding, compareArguments, type Line } from './arguments.ts'
import type { FeatureOffer, PamAction, PamState, PamDesired, StackTool } from './model.ts'
import { isCalled, type Walked, wayTooEarly, wayTooLate, wayUncaught, wayWithout } from './ways.ts'

/**
 * Compares the lines of a module, and the paths through the stack, with the desired state. One of all services, for which
 * there are `standIns`, needs no line of a required module if no path succeeds without those.
 */
export function decidePam(
  wanted: PamDesired,
  observed: Seen<PamState>,
  standIns?: readonly string[],
): Decision<PamAction> {
  const stacks = decideStack(wanted, observed, standIns)
  if (observed.kind === 'absent') return stacks
  const { whyNoPam: why, offer } = observed.state
  const decision = offer.kind === 'enough' ? withFeatures(stacks, offer) : stacks
  const isRequired = wanted.required === true
  if (why.kind === 'unknown') {
    return isRequired ? { ...decision, unknown: [...decision.unknown, unreadable('required', why)] } : decision
  }
  if (why.value === undefined) return decision
  const warned = { ...decision, warnings: [why.value] }
  if (!isRequired || decision.drift.length > 0) return warned
  // A service that does not use PAM calls no module.
  const drift = { property: 'required', desired: true, observed: false, note: why.value }
  return { ...refuseDecision(warned, 'set UsePAM to yes, with the setting sshd:UsePAM'), drift: [drift] }
}

function decideStack(
  wanted: PamDesired,
  observed: Seen<PamState>,
  standIns: readonly string[] | undefined,
): Decision<PamAction> {
  const { name, type } = wanted
  if (observed.kind === 'absent') return decideAbsent(wanted, `no service or stack ${name}`)
  const { stack, settings } = observed.state
  const isMeant = matchesDesired(wanted)
  const lines = stack.entries
    .filter((entry) => entry.kind === 'module' && entry.name === moduleName(wanted.module))
    .map((entry, index): Line => ({ entry, settings: settings[index] }))
    .filter(({ entry }) => isMeant(entry))
  const messages = stack.from === 'other' ? [`${name} has no ${type} lines: those of the service other apply`] : []
  const others = linesBeside(wanted, stack)
  if (others?.length === 0) {
    const ensure = { desired: wanted.ensure, observed: wanted.ensure }
    return differences([], { ensure, messages: [...messages, `${name} does not call ${wanted.beside} for ${type}`] })
  }
  const obstacle = byHand(wanted, observed.state, lines.length === 0 ? (others ?? []) : lines.map(({ entry }) => entry))
  if (wanted.ensure === 'absent') return decideGone(wanted, lines, { obstacle, messages })
  const mayLack = lines.length === 0 || others !== undefined || standIns !== undefined
  if (wanted.required === true && mayLack && isClosed(stack, type, standIns ?? [])) {
    const ensure = { desired: wanted.ensure, observed: wanted.ensure }
    return differences([], { ensure, messages: [...messages, `${name} grants nothing: no path through it succeeds`] })
  }
  if (lines.length === 0) {
    const where = others === undefined ? `in ${name}` : `beside ${others.map(originOf).join(' and ')}`
    const why = `${titleOf(wanted)} has no ${type} line ${where}`
    return withProfile(wanted, observed.state, decideAbsent(wanted, why, { obstacle, messages }))
  }
  const walked = { entries: stack.entries, type, isMeant: (entry: PamEntry) => isMeant(entry) && entry.exists }
  const unreached = whyNeverCalled(wanted, lines, walked)
  if (unreached !== undefined) return decideAbsent(wanted, unreached, { obstacle, messages })
  const drift = [...compareFlag(wanted, lines), ...compareWays(wanted, walked)]
  return decideChanges(compareArguments(wanted, lines), drift, { obstacle, messages })
}

function isClosed({ entries }: PamStack, type: PamDesired['type'], standIns: readonly string[]): boolean {
  return wayWithout({ entries, type, isMeant: () => false }, standIns.map(moduleName)) === undefined
}

/**
 * The lines of the module that limits the requirement; undefined if the requirement applies to any stack. A line that no path
 * reaches counts where every path has to meet the requirement: another module may let users in before it.
 */
function linesBeside({ beside, type, required }: PamDesired, { entries }: PamStack): readonly PamEntry[] | undefined {
  if (beside === undefined) return undefined
  const isMeant = ({ exists, name }: PamEntry): boolean => exists && name === moduleName(beside)
  return required === true || isCalled({ entries, type, isMeant }) ? entries.filter(isMeant) : []
}

interface DecisionNotes {
  readonly obstacle: Obstacle
  readonly messages: readonly string[]
}

function matchesDesired({ module, with: given = [] }: PamDesired): (entry: PamEntry) => boolean {
  const name = moduleName(module)
  return (entry) =>
    entry.kind === 'module' && entry.name === name && given.every((each) => entry.arguments.includes(each))
}

function titleOf({ module, with: given = [] }: PamDesired): string {
  return [moduleName(module), ...given].join(' ')
}

function decideAbsent(
  { ensure, if_absent: ifAbsent }: PamDesired,
  why: string,
  aside?: DecisionNotes,
): Decision<PamAction> {
  const messages = [...(aside?.messages ?? []), why]
  const isFine = ensure === 'absent' || ifAbsent === 'compliant'
  const states = { desired: ensure, observed: 'absent' }
  if (isFine) return differences([], { ensure: states, messages })
  const reason = `${why}: if its absence is acceptable, set if_absent: compliant`
  const obstacle = cannot(reason, { mayComeWithRequirement: true })
  return notThere(why, aside ?? { obstacle, messages: [] })
}

/** For stacks of pam-auth-update: enables the profile that contains the module, if it is unambiguous. */
function withProfile(
  wanted: PamDesired,
  { stack, tool, profiles }: PamState,
  decision: Decision<PamAction>,
): Decision<PamAction> {
  const { name, type, with: given = [] } = wanted
  const shared = `common-${type}`
  const isShared = name === shared || stack.entries.some(({ file }) => baseName(file) === shared)
  if (decision.drift.length === 0 || tool !== 'pam-auth-update' || !isShared) return decision
  if (profiles.kind === 'unknown') return refuseDecision(decision, profiles.detail)
  const fitting = profiles.value.filter(({ lines }) =>
    lines.some(
      (line) => line.module === moduleName(wanted.module) && given.every((each) => line.arguments.includes(each)),
    ),
  )
  const [first, ...others] = fitting.map((profile) => profile.name)
  if (first === undefined) return decision
  if (others.length > 0)
    return refuseDecision(
      decision,
      `several profiles contain it (${[first, ...others].join(', ')}): enable one of them`,
    )
  const plan = {
    kind: 'act',
    action: { profile: first, files: [] },
    text: `Would have enabled the profile ${first} with pam-auth-update`,
    effects: [{ kind: 'enable', object: `the profile ${first} of pam-auth-update` }],
    obstacles: [],
  } as const
  return { ...decision, plan }
}

/** For stacks of authselect: enables features that are known to satisfy the resource. */
function withFeatures(
  decision: Decision<PamAction>,
  { features, files }: Extract<FeatureOffer, { kind: 'enough' }>,
): Decision<PamAction> {
  const names = `the ${features.length === 1 ? 'feature' : 'features'} ${features.join(' and ')}`
  const changes = files.map(({ path }) => path).join(' and ')
  const first = changes === '' ? '' : `changed ${changes} and `
  const plan = {
    kind: 'act',
    action: { features, files },
    text: `Would have ${first}enabled ${names} with authselect`,
    effects: [
      ...files.map(({ path }) => ({ kind: 'write', object: path }) as const),
      { kind: 'enable', object: `${names} of authselect` },
    ],
    obstacles: [],
  } as const
  return { ...decision, plan }
}

function refuseDecision(decision: Decision<PamAction>, reason: string): Decision<PamAction> {
  return { ...decision, plan: { kind: 'refuse', obstacles: [cannot(reason)] } }
}

function notThere(note: string, { obstacle, messages }: DecisionNotes): Decision<PamAction> {
  const drift = { property: 'ensure', original: 'absent', desired: 'present', note }
  const ensure = { desired: 'present', observed: 'absent' }
  return differences([drift], { ensure, obstacles: [obstacle], messages })
}

function decideGone(
  wanted: PamDesired,
  lines: readonly Line[],
  { obstacle, messages }: DecisionNotes,
): Decision<PamAction> {
  const observed = lines.length === 0 ? 'absent' : 'present'
  const note = `${titleOf(wanted)} is called by ${lines.map(({ entry }) => originOf(entry)).join(' and ')}`
  const drift = { property: 'ensure', original: observed, desired: 'absent', note }
  return differences([drift], { ensure: { desired: 'absent', observed }, obstacles: [obstacle], messages })
}

/** A module is present if its file exists and at least one of its lines is reachable. */
function whyNeverCalled({ name, module }: PamDesired, lines: readonly Line[], walked: Walked): string | undefined {
  const origins = lines.map(({ entry }) => originOf(entry)).join(' and ')
  if (!lines.some(({ entry }) => entry.exists)) {
    return `${origins} names ${module}, which does not exist: libpam returns module_unknown`
  }
  if (isCalled(walked)) return undefined
  return `${origins} is never called: every path through ${name} ends before it or skips it`
}

const CONTROLS: ValueOrder<string> = { equals: (left, right) => left === right }

/** The normalized control in a policy. */
function controlNamed(control: string): string {
  const actions = wantedActions(control)
  return actions === undefined ? control : canonicalControl(actions)
}

function compareFlag({ control_flag: wanted }: PamDesired, lines: readonly Line[]): readonly Difference[] {
  if (wanted === undefined) return []
  const accepted = mapAcceptance(isAcceptance(wanted) ? wanted : { is: wanted }, controlNamed)
  const desired = isAcceptance(wanted) ? wanted : controlNamed(wanted)
  return lines.flatMap(({ entry }): readonly Difference[] => {
    const original = canonicalControl(entry.actions)
    if (isAccepted(CONTROLS, accepted, original)) return []
    return [{ property: 'control_flag', original, desired, note: originOf(entry) }]
  })
}

/** Checks the paths through the whole stack. */
function compareWays(wanted: PamDesired, walked: Walked): readonly Difference[] {
  const { required, unless = [], before, after, catches } = wanted
  const standIns = unless.map(moduleName)
  const others = [
    { property: 'before', other: before, find: wayTooLate },
    { property: 'after', other: after, find: wayTooEarly },
    { property: 'catches', other: catches, find: wayUncaught },
  ]
  const past = required === true ? wayWithout(walked, standIns) : undefined
  return [
    ...(past === undefined ? [] : [{ property: 'required', original: false, desired: true, note: noteOf(past) }]),
    ...others.flatMap(({ property, other, find }): readonly Difference[] => {
      if (other === undefined) return []
      const name = moduleName(other)
      const isThere = walked.entries.some((entry) => entry.name === name && !walked.isMeant(entry))
      const way = isThere ? find(walked, name, standIns) : undefined
      if (isThere && way === undefined) return []
      const note = way === undefined ? `${name} is not in the stack` : noteOf(way)
      return [{ property, original: null, desired: other, note }]
    }),
  ]
}

function noteOf(way: string): string {
  return `path: ${way}`
}

function decideChanges(
  given: ArgumentFinding,
  drift: readonly Difference[],
  { obstacle, messages }: DecisionNotes,
): Decision<PamAction> {
  const { unknown, files, obstacles } = given
  const all = [...drift, ...given.drift]
  if (files.length === 0) return differences(all, { unknown, messages, obstacles: [...obstacles, obstacle] })
  const text = `Would have changed ${files.map(({ path }) => path).join(' and ')}`
  const effects = files.map(({ path }) => ({ kind: 'write', object: path }) as const)
  const plan = { kind: 'act', action: { files }, text, effects, obstacles: [] } as const
  const [first, ...others] = [...obstacles, obstacle]
  const decision = differences<PamAction>(all, { unknown, messages, fix: { action: { files }, text } })
  return {
    ...decision,
    plan: given.fixed === all.length ? plan : { ...plan, leaves: [first, ...others] },
  }
}

/** The manual steps for a stack. No fix edits stacks: a mistake there locks out all users. */
function byHand({ name }: PamDesired, { tool, offer }: PamState, lines: readonly PamEntry[]): Obstacle {
  const at = lines.map(originOf).join(' and ')
  const where = at === '' ? `the stack ${name}` : at
  const isShared = isStack(name) || lines.some(({ file }) => isStack(baseName(file)))
  const byTool = offer.kind === 'refused' ? offer.why : BY_TOOL[tool]
  return cannot(`driftgate does not rewrite ${where}: ${isShared ? byTool : BY_TOOL.none}`)
}

const BY_TOOL: Readonly<Record<StackTool, string>> = {
  'pam-auth-update': 'create or edit a profile in /usr/share/pam-configs and enable it with pam-auth-update',
  authselect: 'use authselect enable-feature, or a custom profile if no feature provides it',
  none: 'edit the file with a root session open, and test a new login before you close it',
}
