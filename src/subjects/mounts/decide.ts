import { type Acceptance, acceptedFor, isAcceptance, isAccepted } from '../../model/acceptance.ts'
import { type Decision, NO_PLAN, type Plan } from '../../model/decision.ts'
import { cannot } from '../../model/differences.ts'
import { defined } from '../../model/defined.ts'
import type { Drift } from '../../model/drift.ts'
import type { Effect } from '../../model/effect.ts'
import { pendingReboot, shadowedBy } from '../../model/notes.ts'
import { known, type Observation, type Reading, type Seen, unknown } from '../../model/observation.ts'
import { AS_WANTED, drifted, mergeParts, type PartialDecision, undecided } from '../../model/partial-decision.ts'
import { type ListItem, SETS } from '../../model/value-orders.ts'
import { TEXTS } from '../../resource-type/text-order.ts'
import { remountOptions, resolveOptions } from '../../host/mount-options.ts'
import type { MountedNow, Remount, StoredMount } from './mounts.ts'
import type { FileStat } from '../../host/target.ts'
import { makeStore, type StoreAction } from './store.ts'
import { noNearest } from '../shared/acceptance-of.ts'

export type DesiredOptions = readonly string[] | Acceptance<readonly string[], string>

/** The desired state of a mount point. */
export interface MountDesired {
  readonly ensure: 'mounted'
  readonly options?: DesiredOptions | undefined
  readonly stored_options?: DesiredOptions | undefined
  readonly device?: string | Acceptance<string> | undefined
  readonly fstype?: string | Acceptance<string> | undefined
  readonly if_absent: 'drift' | 'compliant' | 'not-applicable'
}

/** The state of a mount point, now and after the next boot. */
export interface MountState {
  /** The path with links resolved. */
  readonly path: string
  readonly now: Reading<MountedNow>
  readonly stored: Reading<StoredMount>
  /** The file that a fix may have to write. */
  readonly fstab: Observation<FileStat>
}

/** The steps of a fix. Files are written first, so that a remounted file system keeps its options. */
export interface MountAction {
  readonly store?: StoreAction
  readonly remount?: Remount
}

type Options = Acceptance<readonly ListItem[], ListItem>

/** Compares a mount point with its current and its stored mount. */
export function decideMount(wanted: MountDesired, observed: Seen<MountState>): Decision<MountAction> {
  const state = observed.kind === 'absent' ? NOWHERE : observed.state
  const now = compareNow(wanted, state)
  const isThere = state.now.kind === 'unknown' || state.now.value.kind !== 'nothing'
  const stored = compareStored(wanted, state, isThere)
  const isMissing = !isThere && wanted.if_absent !== 'drift'
  return {
    ensure: { desired: wanted.ensure, observed: wordOf(state.now) },
    drift: [...now.drift, ...stored.drift],
    unknown: [...now.unknown, ...stored.unknown],
    comparesStored: isStoredCompared(wanted, state.stored),
    plan: makePlan([now, stored]),
    ...(isMissing ? { messages: ['nothing is mounted there'] } : {}),
  }
}

const NOWHERE: MountState = {
  path: '',
  now: known({ kind: 'nothing', within: '/' }),
  stored: known({ kind: 'nothing' }),
  fstab: { kind: 'absent', context: undefined },
}

function wordOf(now: MountState['now']): string {
  if (now.kind === 'unknown') return 'unknown'
  return now.value.kind === 'nothing' ? NOT_MOUNTED : 'mounted'
}

const NOT_MOUNTED = 'not mounted'

function compareNow(wanted: MountDesired, state: MountState): PartialDecision<MountAction> {
  const { now } = state
  if (now.kind === 'unknown') return undecided('ensure', now)
  if (now.value.kind === 'nothing') return wanted.if_absent === 'drift' ? notMounted(now.value, state) : AS_WANTED
  if (now.value.kind === 'automount') {
    const { options, device, fstype } = wanted
    const later = unknown('not-observable', 'it is an automount that is not mounted yet')
    const names = Object.entries({ options, device, fstype }).flatMap(([name, value]) =>
      value === undefined ? [] : name,
    )
    return mergeParts(names.map((name) => undecided(name, later)))
  }
  const { source, fstype } = now.value
  return mergeParts<MountAction>([
    compareKind(wanted, now.value),
    compareOptions(wanted, state.path, now.value),
    compareText('device', wanted.device, source),
    compareText('fstype', wanted.fstype, fstype),
  ])
}

/** A fix cannot turn a directory into a partition. */
function notMounted(
  { within }: Extract<MountedNow, { kind: 'nothing' }>,
  { stored }: MountState,
): PartialDecision<MountAction> {
  const comes = stored.kind === 'known' && stored.value.kind === 'stored' && stored.value.idle === undefined
  const by = comes && stored.value.kind === 'stored' ? lineOf(stored.value.origin) : undefined
  const note =
    by === undefined ? `it is a directory on the file system at ${within}` : pendingReboot(`${by} mounts it then`)
  const reason = 'a fix does not create or mount file systems; if its absence is acceptable, set if_absent: compliant'
  return {
    ...drifted({ property: 'ensure', desired: 'mounted', observed: NOT_MOUNTED, note }),
    obstacles: [cannot(reason, { mayComeWithRequirement: true })],
  }
}

type MountedHere = Extract<MountedNow, { kind: 'mounted' }>

function compareKind(
  { if_absent: ifAbsent }: MountDesired,
  { isOwnFileSystem, within }: MountedHere,
): PartialDecision<MountAction> {
  if (isOwnFileSystem || ifAbsent !== 'drift') return AS_WANTED
  const note = `it is part of the file system at ${within}, mounted a second time`
  return {
    ...AS_WANTED,
    drift: [{ property: 'ensure', desired: 'mounted', observed: 'bind mount', note }],
    obstacles: [cannot('a fix cannot turn a bind mount into a separate file system')],
  }
}

function compareOptions(
  { options: wanted }: MountDesired,
  path: string,
  { options, own }: MountedHere,
): PartialDecision<MountAction> {
  if (wanted === undefined) return AS_WANTED
  const accepted = acceptedOptions(wanted)
  if (isAccepted(SETS, accepted, options)) return AS_WANTED
  const drift: readonly Drift[] = [
    { property: 'options', desired: formatOptions(wanted), observed: formatOptions(options) },
  ]
  const target = acceptedFor(SETS, accepted, options)
  if (target === undefined) return { ...AS_WANTED, drift, obstacles: [cannot(noNearest('options'))] }
  const { scope, words, stuck } = remountOptions({ own, options }, target.map(String))
  if (stuck.length > 0)
    return { ...AS_WANTED, drift, obstacles: [cannot(`a remount cannot remove ${stuck.join(', ')}`)] }
  return { ...AS_WANTED, drift, steps: [{ remount: { path, scope, words } }] }
}

function compareText(property: string, wanted: MountDesired['device'], observed: string): PartialDecision<MountAction> {
  if (wanted === undefined) return AS_WANTED
  if (isAccepted(TEXTS, isAcceptance(wanted) ? wanted : { is: wanted }, observed)) return AS_WANTED
  const obstacles = [cannot('a fix does not mount another file system')]
  return { ...drifted({ property, desired: wanted, observed }), obstacles }
}

/** Without a mount there are no stored options to compare, if the policy accepts that. */
function isStoredCompared(
  { options, stored_options: stored, if_absent: ifAbsent }: MountDesired,
  seen: MountState['stored'],
): boolean {
  if (seen.kind === 'unknown') return false
  return ifAbsent === 'drift' || (seen.value.kind === 'stored' && (stored ?? options) !== undefined)
}

/** Compares the stored options, by default with the desired current ones. */
function compareStored(wanted: MountDesired, state: MountState, isThere: boolean): PartialDecision<MountAction> {
  const { stored, path, fstab } = state
  const options = wanted.stored_options ?? wanted.options
  const mustLast = wanted.if_absent === 'drift'
  if (options === undefined && !mustLast) return AS_WANTED
  if (stored.kind === 'unknown') return undecided('stored_options', stored)
  if (stored.value.kind === 'nothing') {
    const { why } = stored.value
    // A missing mount is reported once.
    return mustLast && isThere ? notStored(options, why ?? 'no fstab entry or mount unit mounts it at boot') : AS_WANTED
  }
  const { origin, idle, shadowed } = stored.value
  const isIdle = mustLast && isThere && idle !== undefined
  const last = isIdle ? notStored(options, idle) : AS_WANTED
  if (options === undefined) return last
  const accepted = acceptedOptions(options)
  const found = resolveOptions(stored.value.options)
  if (isAccepted(SETS, accepted, found)) return last
  const isShadowing = shadowed.some((each) => isAccepted(SETS, accepted, resolveOptions(each.options)))
  const note =
    origin === undefined ? 'default of systemd' : isShadowing ? shadowedBy(origin) : `set by ${lineOf(origin)}`
  const drift = { property: 'stored_options', desired: formatOptions(options), observed: formatOptions(found), note }
  const target = acceptedFor(SETS, accepted, found)
  const made =
    target === undefined
      ? cannot(noNearest('stored_options'))
      : makeStore({ stored: stored.value, path, fstab }, target.map(String))
  return 'reason' in made
    ? { ...drifted(drift), obstacles: [made, ...last.obstacles] }
    : { ...drifted(drift), obstacles: last.obstacles, steps: [{ store: made }] }
}

function notStored(options: DesiredOptions | undefined, note: string): PartialDecision<MountAction> {
  const drift: Drift = {
    property: 'stored_options',
    desired: options === undefined ? 'mounted' : formatOptions(options),
    observed: null,
    note,
  }
  const reason = 'a fix does not choose the file system to mount: add a line to /etc/fstab, or a mount unit'
  return { ...drifted(drift), obstacles: [cannot(reason)] }
}

/** A plain list accepts exactly itself. */
export function acceptedOptions(wanted: DesiredOptions): Options {
  return isAcceptance(wanted) ? wanted : { is: wanted }
}

/** Formats options like mount(8). */
function formatOptions(options: DesiredOptions): string | Acceptance<readonly string[], string> {
  if (isAcceptance(options)) return options
  return options.length === 0 ? 'defaults' : options.join(',')
}

/** `FILE:LINE`, or `systemd` without an origin. */
function lineOf(origin: { readonly file: string; readonly line: number } | undefined): string {
  return origin === undefined ? 'systemd' : `${origin.file}:${origin.line}`
}

/** An obstacle to one half does not prevent the fix of the other. */
function makePlan(parts: readonly PartialDecision<MountAction>[]): Plan<MountAction> {
  const { obstacles, steps } = mergeParts(parts)
  const { store, remount }: MountAction = Object.assign({}, ...steps)
  const [first, ...others] = obstacles
  const effects: Effect[] = [
    ...(store === undefined ? [] : [{ kind: 'write', object: store.file } as const]),
    ...(remount === undefined ? [] : [{ kind: 'run', object: `mount -o remount ${remount.path}` } as const]),
  ]
  if (effects.length === 0) return first === undefined ? NO_PLAN : { kind: 'refuse', obstacles: [first, ...others] }
  const texts = [
    ...(store === undefined ? [] : ['would have stored the mount options']),
    ...(remount === undefined ? [] : ['would have remounted']),
  ]
  const text = texts.join(', ').replace(/^w/, 'W')
  const act = { kind: 'act', action: { ...defined({ store, remount }) }, text, effects, obstacles: [] } as const
  return first === undefined ? act : { ...act, leaves: [first, ...others] }
}
