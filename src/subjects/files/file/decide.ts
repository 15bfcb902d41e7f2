import { defined } from '../../../model/defined.ts'
import { type Decision, NO_PLAN, type Obstacle, type Plan } from '../../../model/decision.ts'
import type { Effect } from '../../../model/effect.ts'
import type { Seen } from '../../../model/observation.ts'
import { mergeParts, type PartialDecision } from '../../../model/partial-decision.ts'
import { isSet } from '../../../model/property.ts'
import { parseCapabilities } from '../../../host/capabilities.ts'
import type { AccessChange } from '../../../host/remediator.ts'
import { conflict, KIND_WORDS } from '../../shared/paths.ts'
import {
  type AccessComparison,
  accessOfNew,
  changeOf,
  compareAccess,
  modeWithout,
  type DesiredAccess,
} from './access.ts'
import { compareAttributes, settleAttributes, type DesiredAttributes } from './attributes.ts'
import { compareContent, contentObstacles, nearestText } from './content.ts'
import { compareImmutable, type ImmutableComparison, immutableOfNew } from './immutable.ts'
import type { DirectoryContext, FileAction, FileContext, FileState, FileDesired, RegularContext } from './model.ts'
import { decideAbsent, refuse, wrongKind } from './removal.ts'

/**
 * Compares a file resource with the observed state. Follows the decision table of CCM's file type, with two differences: every
 * drift is reported, and a fix never replaces an object that is neither a file nor a directory.
 */
export function decideFile(desired: FileDesired, observed: Seen<FileState, FileContext>): Decision<FileAction> {
  const { context } = observed
  const state = observed.kind === 'present' ? observed.state : undefined
  switch (context.ensure) {
    case 'absent':
      return decideAbsent(desired, state)
    case 'directory':
      return decideDirectory(desired, state, context)
    case 'present':
      return decidePresent(desired, state, context)
  }
}

function decideDirectory(
  desired: FileDesired,
  state: FileState | undefined,
  wanted: DirectoryContext,
): Decision<FileAction> {
  const { name } = desired
  const plan = (obstacles: readonly Obstacle[], now = stateOfNew(desired, 'directory', wanted)): Plan<FileAction> => {
    const effect = effectOn(state, 'directory', 'set-attributes')
    const action = { kind: 'create-directory', text: 'Would have created directory', effect } as const
    return attributePlan(action, wanted.attributes, now, obstacles)
  }
  if (state === undefined) return decideMissing(desired, () => plan(wanted.obstacles))
  if (state.kind !== 'directory') {
    // Removing a link loses no data; driftgate must not delete any other object.
    const replaceable = state.kind === 'symlink' || state.throughLink
    const obstacles = replaceable ? [] : [{ reason: conflict(name, state.kind, 'a directory') }]
    return wrongKind(wanted.ensure, state, replaceable ? planCreation(desired, () => plan([])) : plan(obstacles))
  }
  const attributes = compareAttributes(state, wanted.attributes)
  const access = compareAccess(state, wantedAccess(desired, wanted.attributes))
  const immutable = compareImmutable(state, desired.immutable)
  const now = { state, access, immutable, left: [...access.obstacles, ...immutable.obstacles] }
  return decideComparisons(wanted.ensure, [attributes, access, immutable], now, () => plan([], now))
}

function decidePresent(
  desired: FileDesired,
  state: FileState | undefined,
  wanted: RegularContext,
): Decision<FileAction> {
  const { name } = desired
  const create = (): Plan<FileAction> =>
    planStore(desired, wanted, stateOfNew(desired, 'file', wanted), effectOn(state, 'file', 'replace'))
  if (state === undefined) return decideMissing(desired, create)
  if (state.kind === 'symlink') return wrongKind(wanted.ensure, state, planCreation(desired, create))
  if (state.kind !== 'file')
    return wrongKind(wanted.ensure, state, refuse({ reason: conflict(name, state.kind, 'a file') }))
  const content = compareContent(state, wanted)
  const attributes = compareAttributes(state, wanted.attributes)
  const access = compareAccess(state, wantedAccess(desired, wanted.attributes))
  const immutable = compareImmutable(state, desired.immutable)
  const left = [...content.obstacles, ...access.obstacles, ...immutable.obstacles]
  const now = { state, access, immutable, left }
  return decideComparisons(wanted.ensure, [content, attributes, access, immutable], now, () =>
    content.isWritten
      ? planStore(
          desired,
          wanted,
          now,
          effectOn(state, 'file', content.drift.length > 0 ? 'replace' : 'set-attributes'),
        )
      : planAttributes(name, wanted, now),
  )
}

function wantedAccess({ access, capabilities }: FileDesired, attributes: DesiredAttributes): DesiredAccess {
  return { attributes, access, capabilities: capabilities === undefined ? undefined : parseCapabilities(capabilities) }
}

/** Decision for a file or directory that does not exist yet. */
function stateOfNew(
  desired: FileDesired,
  kind: 'file' | 'directory',
  { attributes, accessOfNew: seen }: DirectoryContext | RegularContext,
): FileComparison {
  const access = accessOfNew(kind, wantedAccess(desired, attributes), seen)
  return { state: undefined, access, immutable: immutableOfNew(desired.immutable), left: access?.obstacles ?? [] }
}

/** Decides about a missing path. A policy may accept that, or keep a fix from creating the file. */
function decideMissing(desired: FileDesired, plan: () => Plan<FileAction>): Decision<FileAction> {
  const { ensure, if_absent: ifAbsent } = desired
  if (ifAbsent !== 'compliant') return missingDecision(ensure, planCreation(desired, plan))
  const messages = ["the path does not exist, which 'if_absent: compliant' accepts"]
  return { ensure: { desired: ensure, observed: 'absent' }, drift: [], unknown: [], plan: NO_PLAN, messages }
}

/** Plan to create the missing file, if the policy allows a fix to do that. */
function planCreation(desired: FileDesired, plan: () => Plan<FileAction>): Plan<FileAction> {
  const { name, ensure, content, source, if_absent: ifAbsent } = desired
  if (ifAbsent === 'create') return plan()
  const isUnknown = ensure === 'present' && content === undefined && !isSet(source)
  // An earlier resource, such as a command, may create it.
  if (isUnknown) return refuse({ reason: `no content to create it from ('if_absent: ${ifAbsent}')`, missing: name })
  return refuse({ reason: `a fix does not create it ('if_absent: ${ifAbsent}')`, missing: name })
}

/** Effect on the existing object: a link is replaced, an object of the right kind is changed. */
function effectOn(
  state: FileState | undefined,
  wanted: 'file' | 'directory',
  change: 'replace' | 'set-attributes',
): Effect {
  if (state === undefined) return { kind: 'create', object: `the ${wanted}` }
  return state.kind === wanted && !state.throughLink
    ? { kind: change, object: `the ${wanted}` }
    : { kind: 'replace', object: `the ${KIND_WORDS[state.throughLink ? 'symlink' : state.kind]} by a ${wanted}` }
}

type Giving = Extract<FileAction, { attributes: unknown }>['kind']

/** Action of a fix, with the content to write if the policy accepts several. */
interface Deed {
  readonly kind: Giving
  readonly text: string
  readonly effect: Effect
  readonly content?: string | undefined
  readonly isInPlace?: boolean
}

/** State of the object before a fix sets attributes; the state is undefined for a new object. */
interface FileComparison {
  readonly state: FileState | undefined
  readonly access: AccessComparison | undefined
  readonly immutable: ImmutableComparison
  /** Drift that a fix does not change. */
  readonly left: readonly Obstacle[]
}

/**
 * Plan that sets attributes, with the sentence for an audit. Impossible if the owner or group does not exist, or if no accepted
 * value is the one to write.
 */
function attributePlan(
  { kind, text, effect, content, isInPlace = false }: Deed,
  wanted: DesiredAttributes,
  { state, access, immutable, left: [left, ...more] }: FileComparison,
  others: readonly Obstacle[],
): Plan<FileAction> {
  const settled = settleAttributes(wanted, state && { ...state, mode: modeWithout(access?.change, state.mode) })
  const own = 'obstacles' in settled ? settled.obstacles : []
  const action: FileAction =
    'obstacles' in settled
      ? { kind: 'impossible', message: own.map(({ reason }) => reason).join('; ') }
      : {
          kind,
          attributes: settled,
          ...defined({ text: content, access: withFlag(changeOf(access, settled, wanted), immutable) }),
          ...(isInPlace ? { inPlace: true } : {}),
          ...(immutable.isInTheWay ? { isImmutable: true } : {}),
        }
  const plan = { kind: 'act', action, text, effects: [effect], obstacles: [...own, ...others] } as const
  return left === undefined ? plan : { ...plan, leaves: [left, ...more] }
}

function withFlag(change: AccessChange | undefined, { isSet }: ImmutableComparison): AccessChange | undefined {
  return isSet ? { ...change, immutable: true } : change
}

function planStore(
  desired: FileDesired,
  wanted: RegularContext,
  now: FileComparison,
  effect: Effect,
): Plan<FileAction> {
  const { content, attributes, obstacles } = wanted
  const text =
    content === undefined ? 'Would have created an empty file with requested attributes' : 'Would have created the file'
  const { isInPlace, obstacles: own } = replacement(desired, wanted, now.state)
  const written = { kind: 'write', object: 'the file in place' } as const
  const deed = {
    kind: 'store',
    text,
    effect: isInPlace && effect.kind === 'replace' ? written : effect,
    content: nearestText(content),
    isInPlace,
  } as const
  return attributePlan(deed, attributes, now, [...obstacles, ...contentObstacles(content), ...own])
}

interface Replacement {
  readonly isInPlace: boolean
  readonly obstacles: readonly Obstacle[]
}

/**
 * Whether the existing file is written in place, and other obstacles to replacing it: the kernel refuses to rename over a mount
 * point, and other hard links would keep the old content. Neither applies to a link that is replaced.
 */
function replacement(
  { in_place: isAsked = false }: FileDesired,
  { inPlace }: RegularContext,
  replaced: FileState | undefined,
): Replacement {
  if (replaced === undefined || replaced.throughLink || replaced.kind !== 'file')
    return { isInPlace: false, obstacles: [] }
  const { mounts, linkCount } = replaced
  const isMountPoint = mounts?.kind === 'known' && mounts.value.includes('')
  const isLinked = linkCount > 1
  const obstacles = [
    ...(isMountPoint && !isAsked && inPlace?.mountPoints !== true ? [{ reason: MOUNT_POINT }] : []),
    ...(isLinked && !isAsked && inPlace?.linked !== true ? [{ reason: otherNames(linkCount) }] : []),
  ]
  return { isInPlace: (isAsked || isMountPoint || isLinked) && obstacles.length === 0, obstacles }
}

const MOUNT_POINT =
  "it is a mount point, which cannot be replaced; write it in place with --in-place, or 'in_place: true' in the policy"

function otherNames(count: number): string {
  const names = `it has ${count} hard links, and the others would keep the old content`
  return `${names}; --keep-links, or 'in_place: true' in the policy, writes through all of them`
}

function planAttributes(name: string, { attributes }: RegularContext, now: FileComparison): Plan<FileAction> {
  const isLinked = now.state?.throughLink === true
  const obstacles = isLinked ? [{ reason: `${name} is a symlink; refusing to set attributes through it` }] : []
  const effect = { kind: 'set-attributes', object: 'the file' } as const
  const action = { kind: 'set-attributes', text: 'Would have updated attributes', effect } as const
  return attributePlan(action, attributes, now, obstacles)
}

/** Result of comparing properties. */
interface Comparison extends PartialDecision {
  readonly warnings?: readonly string[]
  /** Whether a fix changes none of the drift. */
  readonly isLeft?: boolean
}

/** Decision about an object of the right kind, from comparisons in the order of the state checks. */
function decideComparisons(
  ensure: string,
  comparisons: readonly Comparison[],
  { left: [left, ...more] }: FileComparison,
  plan: () => Plan<FileAction>,
): Decision<FileAction> {
  const { drift, unknown } = mergeParts(comparisons)
  const warnings = comparisons.flatMap((each) => each.warnings ?? [])
  // If a fix changes none of it, the plan says why.
  const isLeft = comparisons.every((each) => each.drift.length === 0 || each.isLeft === true)
  const settle = (): Plan<FileAction> =>
    isLeft && left !== undefined ? { kind: 'refuse', obstacles: [left, ...more] } : plan()
  return {
    ensure: { desired: ensure, observed: ensure },
    drift,
    unknown,
    plan: drift.length === 0 ? NO_PLAN : settle(),
    ...(warnings.length === 0 ? {} : { warnings }),
  }
}

function missingDecision(desired: string, plan: Plan<FileAction>): Decision<FileAction> {
  const drift = { property: 'ensure', desired, observed: 'absent' }
  return { ensure: { desired, observed: 'absent' }, drift: [drift], unknown: [], plan }
}
