import { baseName } from '../../../model/file-name.ts'
import { type Decision, NO_PLAN, type Plan } from '../../../model/decision.ts'
import { cannot } from '../../../model/differences.ts'
import { defined } from '../../../model/defined.ts'
import type { Drift } from '../../../model/drift.ts'
import { pendingReboot } from '../../../model/notes.ts'
import { known, type Reading, type Seen, unknown } from '../../../model/observation.ts'
import { AS_WANTED, drifted, mergeParts, type PartialDecision, undecided } from '../../../model/partial-decision.ts'
import type { ModulePresence, ModuleStatus, ModuleStep } from '../kernel-modules.ts'
import {
  type Availability,
  availabilityOf,
  BUILT_IN,
  isAvailable,
  lineOf,
  unlessRefused,
  whyAvailable,
  whyUnavailable,
} from '../module-availability.ts'

/** The desired state of a module; undefined properties are not managed. */
export interface KernelModuleDesired {
  readonly name: string
  readonly loaded?: boolean | undefined
  readonly available?: boolean | undefined
}

export interface KernelModuleState extends ModuleStatus {
  /** What would lack the module after the next boot; observed if it must not be available. */
  readonly need?: string
}

/** The steps of a fix, in order. */
export interface KernelModuleAction {
  readonly steps: readonly ModuleStep[]
}

/** Compares a module with the running kernel (`loaded`) and with the modprobe configuration (`available`). */
export function decideKernelModule(
  wanted: KernelModuleDesired,
  observed: Seen<KernelModuleState>,
): Decision<KernelModuleAction> {
  const state = observed.kind === 'absent' ? NOWHERE : observed.state
  const configured = availabilityOf(state.place, state.configuration)
  // A boot argument does not block a module persistently, so it does not make the module unavailable.
  const available = wanted.available === false ? configured : unlessRefused(configured, state.isRefused)
  const later = keepIfUsed(compareAvailable(wanted, available), state)
  const now = compareLoaded(wanted, state, later.steps.includes('unblock') ? undefined : whyNotLoadable(available))
  return {
    ensure: PRESENT,
    drift: [...now.drift, ...later.drift],
    unknown: [...now.unknown, ...later.unknown],
    comparesStored: wanted.available !== undefined && later.unknown.length === 0,
    // Configuration first: an unloaded module must not be reloaded at once, and a blocked one cannot be loaded.
    plan: makePlan([later, now]),
  }
}

/** A module that the running kernel does not have and cannot load. */
const NOWHERE: KernelModuleState = {
  presence: known({ kind: 'not-loaded' }),
  place: known('absent'),
  configuration: unknown('not-observable', 'it does not report modules that do not exist'),
  isLocked: known(false),
  isRefused: known(false),
}

const PRESENT = { desired: 'present', observed: 'present' }

function compareLoaded(
  { loaded: wanted }: KernelModuleDesired,
  { presence, isLocked }: KernelModuleState,
  unloadable: string | undefined,
): PartialDecision<ModuleStep> {
  if (wanted === undefined) return AS_WANTED
  if (presence.kind === 'unknown') return undecided('loaded', presence)
  if (isInKernel(presence.value) === wanted) return AS_WANTED
  const reason = (wanted ? unloadable : whyNotUnloaded(presence.value)) ?? whyLocked(isLocked)
  return part({ property: 'loaded', desired: wanted, observed: !wanted }, reason, wanted ? 'load' : 'unload')
}

/** A module that something uses or needs is not blocked: the next boot would lack the file systems or devices of it. */
function keepIfUsed(
  found: PartialDecision<ModuleStep>,
  { presence, need }: KernelModuleState,
): PartialDecision<ModuleStep> {
  if (!found.steps.includes('block')) return found
  const use = presence.kind === 'known' && presence.value.kind === 'loaded' ? useOf(presence.value) : undefined
  const why =
    use === undefined
      ? need && `${need}: first remove what needs it, or waive the control`
      : `${use}, and the next boot would lack it: first stop what uses it`
  return why === undefined ? found : { ...found, steps: [], obstacles: [cannot(why)] }
}

/** Whether the module is built in or loaded. */
export function isInKernel({ kind }: ModulePresence): boolean {
  return kind !== 'not-loaded'
}

function whyNotUnloaded(presence: ModulePresence): string | undefined {
  if (presence.kind !== 'loaded') return BUILT_IN
  const use = useOf(presence)
  if (use !== undefined) return pendingReboot(use)
  return presence.references === undefined
    ? pendingReboot('the kernel does not report whether it is in use')
    : undefined
}

/** What uses a loaded module, as far as the kernel reports it. */
function useOf({ references = 0, holders }: Extract<ModulePresence, { kind: 'loaded' }>): string | undefined {
  if (holders.length > 0) return `it is in use by ${holders.join(', ')}`
  return references === 0 ? undefined : `it is in use (${references} references)`
}

function whyLocked(isLocked: Reading<boolean>): string | undefined {
  // If the lock is unreadable, the kernel reports the refusal.
  if (isLocked.kind === 'unknown' || !isLocked.value) return undefined
  return pendingReboot('kernel.modules_disabled is 1: no module can be loaded or unloaded')
}

function whyNotLoadable(available: Reading<Availability>): string | undefined {
  return available.kind === 'unknown' ? undefined : whyUnavailable(available.value)
}

function compareAvailable(
  { name, available: wanted }: KernelModuleDesired,
  found: Reading<Availability>,
): PartialDecision<ModuleStep> {
  if (wanted === undefined) return AS_WANTED
  if (found.kind === 'unknown') return undecided('available', found)
  const seen = isAvailable(found.value, wanted)
  if (seen.kind === 'unknown') return undecided('available', seen)
  if (seen.value === wanted) return AS_WANTED
  const drift: Drift = { property: 'available', desired: wanted, observed: seen.value }
  const note = wanted ? whyUnavailable(found.value) : whyAvailable(name, found.value)
  const reason = wanted ? whyNotUnblocked(found.value) : whyNotBlocked(found.value)
  return {
    ...part(drift, reason, wanted ? 'unblock' : 'block'),
    drift: [{ ...drift, ...defined({ note }) }],
  }
}

/** The drop-in is written only over known contents, and works only without an install line in an earlier file. */
function whyNotBlocked(found: Availability): string | undefined {
  if (found.kind !== 'loadable' && found.kind !== 'replaced') return BUILT_IN
  const { own, install } = found.configuration
  if (own.state !== 'none') return `${own.path} exists with other content: remove it`
  const [first] = install
  if (first === undefined || baseName(first.file) > baseName(own.path)) return undefined
  return `${lineOf(first)} precedes ${own.path} and would still apply: change that line`
}

/** A fix removes only the lines of driftgate. */
function whyNotUnblocked(found: Availability): string | undefined {
  if (found.kind !== 'blocked') return whyUnavailable(found)
  const { own, install } = found.configuration
  const others = install.filter(({ file }) => file !== own.path || own.state !== 'ours')
  const [first] = others
  if (first === undefined) return undefined
  return `${lineOf(first)} is not managed by driftgate: remove it, so that the module can be loaded`
}

function part(drift: Drift, reason: string | undefined, step: ModuleStep): PartialDecision<ModuleStep> {
  if (reason === undefined) return { ...drifted(drift), steps: [step] }
  return { ...drifted({ ...drift, note: reason }), obstacles: [cannot(reason)] }
}

const DONE: Readonly<Record<ModuleStep, string>> = {
  block: 'kept modprobe from loading the module',
  unblock: 'let modprobe load the module again',
  load: 'loaded the module',
  unload: 'unloaded the module',
}

/** An obstacle to one property does not prevent the fix of the other. */
function makePlan(parts: readonly PartialDecision<ModuleStep>[]): Plan<KernelModuleAction> {
  const { steps, obstacles } = mergeParts(parts)
  const [first, ...others] = obstacles
  const text = `Would have ${steps.map((step) => DONE[step]).join(', would have ')}`
  if (steps.length === 0) return first === undefined ? NO_PLAN : { kind: 'refuse', obstacles: [first, ...others] }
  const act = { kind: 'act', action: { steps }, text, obstacles: [] } as const
  return first === undefined ? act : { ...act, leaves: [first, ...others] }
}
