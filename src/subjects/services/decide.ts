import { type Decision, NO_PLAN, type Obstacle, type Occasion, type Plan } from '../../model/decision.ts'
import type { Drift } from '../../model/drift.ts'
import type { Reading, Seen } from '../../model/observation.ts'
import { AS_WANTED, drifted, mergeParts, type PartialDecision, undecided } from '../../model/partial-decision.ts'
import type {
  ActiveState,
  CompanionUnit,
  ServiceStatus,
  ServiceStep,
  UnitFileState,
  UnitPlaces,
  UnitRuntime,
  UnitStarter,
} from './services.ts'
import { unknownCompanions, withCompanions } from './companions.ts'
import { compareStarters, type StarterSteps } from './starters.ts'
import { compareTwins } from './twins.ts'
import { isMasked, maskedReason, whyNotDisabled, whyNotEnabled } from './why-not.ts'

export interface ServiceDesired {
  /** The name in the policy; may be an alias of the unit. */
  readonly name?: string | undefined
  readonly ensure: 'running' | 'stopped'
  /** Not managed if undefined. */
  readonly enable?: boolean | undefined
  /** Whether a mask prevents every start. Not managed if undefined. */
  readonly masked?: boolean | undefined
}

export interface ServiceState extends ServiceStatus {
  /** The units that start it without a request; observed if `asksForStarters` returns true. */
  readonly starters?: Reading<readonly UnitStarter[]>
  /** Other services that run its program; observed if it must not start. */
  readonly twins?: Reading<readonly string[]>
  /** The other units that change with it; observed if there are steps to take. */
  readonly companions?: Reading<readonly CompanionUnit[]>
}

/** The unit of the resource, whether it exists or not. */
export type ServiceContext = UnitPlaces

/** The steps of a fix, in order. */
export interface ServiceAction {
  readonly unit: string
  readonly steps: readonly ServiceStep[]
  /** Units that would start it again, with the steps to take first. */
  readonly starters?: readonly StarterSteps[]
  /** Units that stop or restart with it. */
  readonly along?: readonly string[]
}

/** The observed `ensure` for each active state; a unit in transition has exceeded the waiting time. @see systemd(1) */
export const RUNTIME: Readonly<Record<ActiveState, 'running' | 'stopped' | 'activating' | 'deactivating'>> = {
  active: 'running',
  reloading: 'running',
  refreshing: 'running',
  inactive: 'stopped',
  failed: 'stopped',
  maintenance: 'stopped',
  activating: 'activating',
  deactivating: 'deactivating',
}

/** Whether a state counts as enabled: also for units that other units pull in, but not for runtime-only states. */
export const ENABLED: Readonly<Record<UnitFileState, boolean>> = {
  enabled: true,
  'enabled-runtime': false,
  alias: true,
  static: true,
  indirect: true,
  generated: true,
  transient: true,
  linked: false,
  'linked-runtime': false,
  masked: false,
  'masked-runtime': false,
  disabled: false,
}

/** The comparison of one property. */
interface ServicePart extends PartialDecision<ServiceStep> {
  readonly starters?: readonly StarterSteps[]
}

/**
 * Compares a service with its unit; running and enabled are independent properties. Follows the decision table of CCM's
 * service type, except that a unit in transition is neither running nor stopped.
 */
export function decideService(
  desired: ServiceDesired,
  observed: Seen<ServiceState, ServiceContext>,
  { subscribed }: Occasion,
): Decision<ServiceAction> {
  if (observed.kind === 'absent') return decideMissing(desired, observed.context)
  const { unit, runtime } = observed.state
  const ensure = compareEnsure(desired, observed.state, subscribed)
  const enable = compareEnable(desired, observed.state)
  const masked = compareMasked(desired, observed.state)
  const starters = compareStartedBy(desired, observed.state)
  const parts = [ensure, enable, masked, starters, compareRunAs(observed.state)]
  const { drift, unknown } = mergeParts(parts)
  return {
    ensure: {
      desired: desired.ensure,
      observed: runtime.kind === 'unknown' ? 'unknown' : RUNTIME[runtime.value.activeState],
    },
    drift,
    unknown,
    comparesStored: (desired.enable ?? desired.masked) !== undefined && observed.state.enablement.kind === 'known',
    // A mask is removed before all other steps, and added after them.
    plan: withCompanions(
      makePlan(unit, desired.masked === false ? [masked, ensure, enable, starters] : parts),
      observed.state.companions,
    ),
    ...unknownCompanions(unit, observed.state.companions),
  }
}

/** The steps on the unit itself that may also change other units. */
export function stepsFor(desired: ServiceDesired, state: ServiceState, subscribed: boolean): readonly ServiceStep[] {
  return [...compareEnsure(desired, state, subscribed).steps, ...compareEnable(desired, state).steps]
}

/** A missing unit is not running. An earlier fix or a required package may install its file. */
function decideMissing(
  { ensure: wanted, enable }: ServiceDesired,
  { unit, unitFiles }: ServiceContext,
): Decision<ServiceAction> {
  const ensure = { desired: wanted, observed: 'absent' }
  const note = `the unit ${unit} does not exist`
  const drift: Drift[] = []
  if (wanted === 'running') drift.push({ property: 'ensure', ...ensure })
  else if (enable === true) drift.push({ property: 'enable', desired: true, observed: false, note })
  if (drift.length === 0) return { ensure, drift, unknown: [], plan: NO_PLAN }
  const steps: ServiceStep[] = [...(wanted === 'running' ? START : []), ...(enable === true ? ENABLE : [])]
  const obstacle: Obstacle = { reason: note, missing: unitFiles, mayComeWithRequirement: true }
  return { ensure, drift, unknown: [], plan: makePlan(unit, [{ ...AS_WANTED, steps, obstacles: [obstacle] }]) }
}

function compareEnsure(
  { ensure: wanted, masked }: ServiceDesired,
  { unit, runtime }: ServiceState,
  subscribed: boolean,
): ServicePart {
  if (runtime.kind === 'unknown') return undecided('ensure', runtime)
  const seen = RUNTIME[runtime.value.activeState]
  const isKept = runtime.value.loadState === 'masked' && masked !== false
  const obstacles = isKept ? [{ reason: maskedReason(unit) }] : []
  if (seen === wanted) {
    return wanted === 'running' && subscribed ? { ...AS_WANTED, steps: ['restart'], obstacles } : AS_WANTED
  }
  const drift: Drift = { property: 'ensure', desired: wanted, ...describeRuntime(runtime.value) }
  return wanted === 'running' ? { ...drifted(drift), steps: START, obstacles } : { ...drifted(drift), steps: ['stop'] }
}

/** A stopped unit may also be failed or masked; the observed value says so. */
function describeRuntime({ activeState, loadState, result }: UnitRuntime): Pick<Drift, 'observed' | 'note'> {
  const seen = RUNTIME[activeState]
  if (seen === 'running') return { observed: seen }
  if (seen !== 'stopped') return { observed: seen, note: 'it did not reach a stable state in time' }
  if (activeState === 'failed') return { observed: 'failed', note: `result of its last run: ${result}` }
  if (loadState === 'masked') return { observed: 'masked' }
  if (loadState === 'loaded' || loadState === 'not-found') return { observed: seen }
  return { observed: seen, note: `systemd cannot use its unit file: ${loadState}` }
}

function compareEnable({ enable: wanted, masked }: ServiceDesired, { unit, enablement }: ServiceState): ServicePart {
  if (wanted === undefined) return AS_WANTED
  if (enablement.kind === 'unknown') return undecided('enable', enablement)
  const { state, unsettled, idle } = enablement.value
  if (wanted && idle !== undefined)
    return {
      ...drifted({ property: 'enable', desired: true, observed: false, note: idle }),
      obstacles: [{ reason: `${idle}: run systemctl revert on it` }],
    }
  // `enabled-runtime` is neither persistently enabled nor disabled.
  const isAsWanted = ENABLED[state] === wanted && state !== 'enabled-runtime'
  if (isAsWanted) return unsettled === undefined ? AS_WANTED : undecided('enable', unsettled)
  const drift = { property: 'enable', desired: wanted, observed: !wanted }
  const why = wanted ? whyNotEnabled(unit, enablement.value) : whyNotDisabled(unit, enablement.value)
  // A masked unit cannot start anyway, and a unit shows its own enablement only after it is unmasked.
  const isBeside = wanted ? masked === false && isMasked(state) : masked === true
  const reason = isBeside ? undefined : why
  return {
    ...drifted(state === 'enabled' || state === 'disabled' ? drift : { ...drift, note: `the unit is ${state}` }),
    steps: wanted ? ENABLE : isBeside && why !== undefined ? [] : ['disable'],
    obstacles: reason === undefined ? [] : [{ reason }],
  }
}

/** A runtime mask does not count as masked: it ends with the next boot. */
function compareMasked({ name = '', masked: wanted }: ServiceDesired, { unit, enablement }: ServiceState): ServicePart {
  if (wanted === undefined) return AS_WANTED
  if (enablement.kind === 'unknown') return undecided('masked', enablement)
  const { state, file } = enablement.value
  if (wanted ? state === 'masked' : !isMasked(state)) return AS_WANTED
  const drift = { property: 'masked', desired: wanted, observed: isMasked(state) }
  const note = state === 'masked-runtime' ? 'it is masked only until reboot' : `the unit is ${state}`
  // A mask needs the path of the existing unit file.
  const isInTheWay = wanted && file === `${MASKS}/${unit}`
  const obstacles = [
    ...(isInTheWay ? [{ reason: `${file} occupies the path of the mask: move it away` }] : []),
    ...(wanted && isTargetBehind(name, unit)
      ? [{ reason: `${name} is an alias of ${unit}, which would be masked, too: run systemctl mask ${name}` }]
      : []),
  ]
  return { ...drifted({ ...drift, note }), steps: [wanted ? 'mask' : 'unmask'], obstacles }
}

/** A name such as ctrl-alt-del.target may be masked, but not its alias target, reboot.target. */
function isTargetBehind(name: string, unit: string): boolean {
  return name.endsWith('.target') && name !== unit
}

/** The directory in which systemctl creates masks. */
const MASKS = '/etc/systemd/system'

/** A masked unit cannot be started. */
function compareStartedBy(desired: ServiceDesired, { starters, enablement }: ServiceState): ServicePart {
  if (starters === undefined) return AS_WANTED
  if (enablement.kind === 'known' && isMasked(enablement.value.state)) return AS_WANTED
  if (starters.kind === 'unknown') return undecided('started_by', starters)
  return compareStarters(desired, starters.value)
}

function compareRunAs({ twins }: ServiceState): ServicePart {
  if (twins === undefined) return AS_WANTED
  return twins.kind === 'unknown' ? undecided('started_by', twins) : compareTwins(twins.value)
}

const START: readonly ServiceStep[] = ['start']
const ENABLE: readonly ServiceStep[] = ['enable']

const DONE: Readonly<Record<ServiceStep, string>> = {
  start: 'started',
  stop: 'stopped',
  restart: 'restarted via subscribe',
  enable: 'enabled',
  disable: 'disabled',
  mask: 'masked',
  unmask: 'unmasked',
}

/**
 * The properties are independent: an obstacle to one does not prevent the fix of another. If no step is left, the plan is
 * refused.
 */
function makePlan(unit: string, parts: readonly ServicePart[]): Plan<ServiceAction> {
  const possible = parts.filter((part) => standingObstacles(part).length === 0)
  // A mask blocks both properties but is reported once.
  const [first, ...others] = unique(parts.flatMap(standingObstacles))
  const steps = possible.flatMap((part) => part.steps)
  const starters = parts.flatMap((part) => part.starters ?? [])
  const done = [
    ...starters.map((starter) => `${starter.steps.map((step) => DONE[step]).join(' and ')} ${starter.unit}`),
    ...steps.map((step) => DONE[step]),
  ]
  const text = `Would have ${done.join(', would have ')}`
  const obstacles = unique(possible.flatMap((part) => part.obstacles))
  const effects = [
    ...starters.flatMap((starter) => starter.steps.map((kind) => ({ kind, object: starter.unit }))),
    ...steps.map((kind) => ({ kind, object: kind === 'restart' ? 'the service via subscribe' : 'the service' })),
  ]
  const action = { unit, steps, ...(starters.length === 0 ? {} : { starters }) }
  const act = { kind: 'act', action, text, effects, obstacles } as const
  if (first === undefined) return done.length === 0 ? NO_PLAN : act
  return done.length === 0 ? { kind: 'refuse', obstacles: [first, ...others] } : { ...act, leaves: [first, ...others] }
}

/** The obstacles that no earlier fix can remove. */
function standingObstacles({ obstacles }: ServicePart): readonly Obstacle[] {
  return obstacles.filter(({ missing }) => missing === undefined)
}

function unique(obstacles: readonly Obstacle[]): readonly Obstacle[] {
  return [...new Map(obstacles.map((obstacle) => [obstacle.reason, obstacle])).values()]
}
