import { unreadable } from '../../core/differences.ts'
import { type Decision, NO_PLAN, type Obstacle, type Plan } from '../../core/decision.ts'
import type { ContentDigest, DecidedDrift, UnknownProperty } from '../../core/drift.ts'
import type { Effect } from '../../core/effect.ts'
import { showName } from '../../core/file-name.ts'
import { type Reading, type Seen, unknown } from '../../core/observation.ts'
import { isSet } from '../../core/property.ts'
import type { FileAttributes } from '../../target/remediator.ts'
import { showDifference, type TextComparison } from '../shared/contents.ts'
import { conflict, ensureWord, KIND_WORDS } from '../shared/paths.ts'
import {
  compareAttributes,
  type SeenAttributes,
  settleAttributes,
  type WantedAttributes,
  type Written,
} from './attributes.ts'

/** What a policy says of a file or directory. */
export interface FileWanted {
  readonly name: string
  readonly ensure: 'present' | 'absent' | 'directory'
  readonly content?: string | undefined
  readonly source?: string | undefined
  readonly owner?: Written
  readonly group?: Written
  readonly mode?: Written
  readonly if_absent: 'create' | 'drift' | 'compliant'
  readonly force: boolean
}

/** What is at the path. A link that leads to something is looked through, unless the path must be absent. */
export interface FileState extends SeenAttributes {
  /** The thing was reached through a symbolic link at the path. */
  readonly throughLink: boolean
  readonly sizeBytes: number
  /** How many names what is there has. */
  readonly linkCount: number
  /** Of a regular file whose content is managed. */
  readonly content?: Reading<ContentDigest>
  /** Of a file whose content differs. */
  readonly comparison?: TextComparison
  /** Of a directory that must be absent: whether it has no entries. */
  readonly isEmpty?: Reading<boolean>
  /** Of a directory that must be absent: where something is mounted in it, relative to it. */
  readonly mounts?: Reading<readonly string[]>
}

/**
 * The fingerprint of the desired content. `available`: it could be provided, but with no file at the path there is
 * nothing to compare it with. `unusable`: the source is not there, or is no regular file.
 */
export type WantedContent =
  Reading<ContentDigest> | { readonly kind: 'available' } | { readonly kind: 'unusable'; readonly obstacle: Obstacle }

/** What was looked up beside the thing itself. `obstacles` are about the path: a parent that is missing or no directory. */
export type FileContext =
  | { readonly ensure: 'absent' }
  | { readonly ensure: 'directory'; readonly attributes: WantedAttributes; readonly obstacles: readonly Obstacle[] }
  | {
      readonly ensure: 'present'
      readonly attributes: WantedAttributes
      /** Undefined where only owner, group and mode are managed. */
      readonly content: WantedContent | undefined
      readonly obstacles: readonly Obstacle[]
    }

/** What a fix does to the machine. */
export type FileAction =
  | { readonly kind: 'store' | 'set-attributes' | 'create-directory'; readonly attributes: FileAttributes }
  | { readonly kind: 'remove'; readonly recursive: boolean }
  /** The owner or group is nobody, so there is nothing that could be done. */
  | { readonly kind: 'impossible'; readonly message: string }

type DirectoryContext = Extract<FileContext, { ensure: 'directory' }>
type RegularContext = Extract<FileContext, { ensure: 'present' }>

/**
 * Compares a file resource with what is at its path. Follows the decision table of CCM's file type, with two
 * differences: every drift is reported, and what is no file or directory is never replaced.
 */
export function decideFile(desired: FileWanted, observed: Seen<FileState, FileContext>): Decision<FileAction> {
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

function decideAbsent(desired: FileWanted, state: FileState | undefined): Decision<FileAction> {
  if (state !== undefined) return wrongKind('absent', state, planRemoval(desired, state))
  return { ensure: { desired: 'absent', observed: 'absent' }, drift: [], unknown: [], plan: NO_PLAN }
}

function planRemoval({ name, force }: FileWanted, { kind, isEmpty, mounts }: FileState): Plan<FileAction> {
  if (kind !== 'directory') {
    return act({ kind: 'remove', recursive: false }, 'Would have removed the file', `the ${KIND_WORDS[kind]}`)
  }
  const mounted = mountObstacle(name, mounts)
  if (mounted !== undefined) return refuse(mounted)
  if (force) {
    const text = 'Would have recursively removed the directory'
    return act({ kind: 'remove', recursive: true }, text, 'the directory with everything in it')
  }
  if (isEmpty?.kind === 'known' && !isEmpty.value) {
    const advice = "set 'force: true' to remove non-empty directories"
    return refuse({ reason: `cannot remove ${name}: directory is not empty, ${advice}` })
  }
  return act({ kind: 'remove', recursive: false }, 'Would have removed the directory', 'the directory')
}

/** What is mounted below is not what the policy names: the real directory lies elsewhere. */
function mountObstacle(name: string, mounts: FileState['mounts']): Obstacle | undefined {
  if (mounts?.kind === 'unknown') return { reason: `cannot tell what is mounted below ${name}: ${mounts.detail}` }
  const [first] = mounts?.value ?? []
  if (first === undefined) return undefined
  const place = first === '' ? name : `${name}/${first}`
  return { reason: `cannot remove ${name}: something is mounted at ${showName(place)}; unmount it first` }
}

function decideDirectory(
  desired: FileWanted,
  state: FileState | undefined,
  wanted: DirectoryContext,
): Decision<FileAction> {
  const { name } = desired
  const plan = (obstacles: readonly Obstacle[]): Plan<FileAction> => {
    const effect = effectOn(state, 'directory', 'set-attributes')
    const action = { kind: 'create-directory', text: 'Would have created directory', effect } as const
    return attributePlan(action, wanted.attributes, state?.kind === 'directory' ? state : undefined, obstacles)
  }
  if (state === undefined) return decideMissing(desired, () => plan(wanted.obstacles))
  if (state.kind !== 'directory') {
    // A link can be taken away without losing anything; whatever else is there is not ours to delete.
    const replaceable = state.kind === 'symlink' || state.throughLink
    const obstacles = replaceable ? [] : [{ reason: conflict(name, state.kind, 'a directory') }]
    return wrongKind(wanted.ensure, state, replaceable ? creating(desired, () => plan([])) : plan(obstacles))
  }
  const comparison = compareAttributes(state, wanted.attributes)
  return compared(wanted.ensure, comparison, () => plan([]))
}

function decidePresent(
  desired: FileWanted,
  state: FileState | undefined,
  wanted: RegularContext,
): Decision<FileAction> {
  const { name } = desired
  const store = (change: 'replace' | 'set-attributes'): Plan<FileAction> =>
    planStore(wanted, state, effectOn(state, 'file', change))
  const create = (): Plan<FileAction> => store('replace')
  if (state === undefined) return decideMissing(desired, create)
  if (state.kind === 'symlink') return wrongKind(wanted.ensure, state, creating(desired, create))
  if (state.kind !== 'file')
    return wrongKind(wanted.ensure, state, refuse({ reason: conflict(name, state.kind, 'a file') }))
  const content = compareContent(state, wanted)
  const attributes = compareAttributes(state, wanted.attributes)
  const comparison = {
    drift: [...content.drift, ...attributes.drift],
    unknown: [...content.unknown, ...attributes.unknown],
  }
  return compared(wanted.ensure, comparison, () =>
    wanted.content === undefined
      ? planAttributes(name, state, wanted)
      : store(content.drift.length > 0 ? 'replace' : 'set-attributes'),
  )
}

/** A path with nothing at it. A policy may accept that, or keep a fix from making something up. */
function decideMissing(desired: FileWanted, plan: () => Plan<FileAction>): Decision<FileAction> {
  const { ensure, if_absent: ifAbsent } = desired
  if (ifAbsent !== 'compliant') return missing(ensure, creating(desired, plan))
  const messages = ["there is nothing at the path, which 'if_absent: compliant' accepts"]
  return { ensure: { desired: ensure, observed: 'absent' }, drift: [], unknown: [], plan: NO_PLAN, messages }
}

/** The plan to make something where nothing is, if the policy wants a fix to do that. */
function creating(desired: FileWanted, plan: () => Plan<FileAction>): Plan<FileAction> {
  const { name, ensure, content, source, if_absent: ifAbsent } = desired
  if (ifAbsent === 'create') return plan()
  const isUnknown = ensure === 'present' && content === undefined && !isSet(source)
  // An earlier resource, such as a command, may be what makes it.
  if (isUnknown)
    return refuse({ reason: `there is nothing to create it from ('if_absent: ${ifAbsent}')`, missing: name })
  return refuse({ reason: `'if_absent: ${ifAbsent}' keeps a fix from creating it`, missing: name })
}

/** What happens to what is at the path: a link gives way to something new, and what is of the right kind is changed. */
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

/**
 * A plan that gives attributes to something, with the sentence an audit shows. `state` is what it has now; undefined where it is new. Impossible where the
 * owner or group is nobody, or where no accepted value is the one to write.
 */
function attributePlan(
  { kind, text, effect }: { readonly kind: Giving; readonly text: string; readonly effect: Effect },
  wanted: WantedAttributes,
  state: FileState | undefined,
  others: readonly Obstacle[],
): Plan<FileAction> {
  const settled = settleAttributes(wanted, state)
  const own = 'obstacles' in settled ? settled.obstacles : []
  const action: FileAction =
    'obstacles' in settled
      ? { kind: 'impossible', message: own.map(({ reason }) => reason).join('; ') }
      : { kind, attributes: settled }
  return { kind: 'act', action, text, effects: [effect], obstacles: [...own, ...others] }
}

function planStore(wanted: RegularContext, state: FileState | undefined, effect: Effect): Plan<FileAction> {
  const { content, attributes, obstacles } = wanted
  const text =
    content === undefined ? 'Would have created an empty file with requested attributes' : 'Would have created the file'
  const unusable = content?.kind === 'unusable' ? [content.obstacle] : []
  const unread = content?.kind === 'unknown' ? [{ reason: content.detail }] : []
  const replaced = state?.kind === 'file' ? state : undefined
  const others = [...obstacles, ...unusable, ...unread, ...nameObstacles(replaced)]
  return attributePlan({ kind: 'store', text, effect }, attributes, replaced, others)
}

/** A new file takes the place of one name; the others would keep the old content. A link that is replaced is no such name. */
function nameObstacles(replaced: FileState | undefined): readonly Obstacle[] {
  if (replaced === undefined || replaced.throughLink || replaced.linkCount < 2) return []
  const names = `it has ${replaced.linkCount} names (hard links)`
  return [{ reason: `${names}, and the others would keep the old content; give it a single name first` }]
}

function planAttributes(name: string, state: FileState, { attributes }: RegularContext): Plan<FileAction> {
  const obstacles = state.throughLink ? [{ reason: `${name} is a symlink; refusing to set attributes through it` }] : []
  const effect = { kind: 'set-attributes', object: 'the file' } as const
  const action = { kind: 'set-attributes', text: 'Would have updated attributes', effect } as const
  return attributePlan(action, attributes, state, obstacles)
}

/** What comparing properties found, in the order of the state checks. */
interface Comparison {
  readonly drift: readonly DecidedDrift[]
  readonly unknown: readonly UnknownProperty[]
}

function compareContent(state: FileState, { content }: RegularContext): Comparison {
  if (content === undefined) return { drift: [], unknown: [] }
  if (content.kind === 'unusable') {
    const drift = { property: 'content', desired: null, observed: null, note: content.obstacle.reason }
    return { drift: [drift], unknown: [] }
  }
  if (content.kind === 'unknown') return { drift: [], unknown: [unreadable('content', content)] }
  const seen = state.content
  if (content.kind === 'available' || seen === undefined) {
    return { drift: [], unknown: [unreadable('content', unknown('internal', 'the content was not read'))] }
  }
  if (seen.kind === 'unknown') return { drift: [], unknown: [unreadable('content', seen)] }
  const [desired, observed] = [content.value, seen.value]
  if (desired.sha256 === observed.sha256) return { drift: [], unknown: [] }
  return { drift: [{ property: 'content', desired, observed, ...showDifference(state.comparison) }], unknown: [] }
}

function compared(ensure: string, comparison: Comparison, plan: () => Plan<FileAction>): Decision<FileAction> {
  const { drift, unknown } = comparison
  return { ensure: { desired: ensure, observed: ensure }, drift, unknown, plan: drift.length === 0 ? NO_PLAN : plan() }
}

function missing(desired: string, plan: Plan<FileAction>): Decision<FileAction> {
  const drift = { property: 'ensure', desired, observed: 'absent' }
  return { ensure: { desired, observed: 'absent' }, drift: [drift], unknown: [], plan }
}

function wrongKind(desired: string, { kind }: FileState, plan: Plan<FileAction>): Decision<FileAction> {
  const observed = ensureWord(kind)
  const drift = { property: 'ensure', desired, observed }
  const explained = kind === 'symlink' && desired !== 'absent' ? { ...drift, note: 'the link leads nowhere' } : drift
  return { ensure: { desired, observed }, drift: [explained], unknown: [], plan }
}

function act(action: FileAction, text: string, removed: string): Plan<FileAction> {
  return { kind: 'act', action, text, effects: [{ kind: 'remove', object: removed }], obstacles: [] }
}

function refuse(obstacle: Obstacle): Plan<FileAction> {
  return { kind: 'refuse', obstacles: [obstacle] }
}
