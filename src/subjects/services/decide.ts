import { type Decision, NO_PLAN, type Obstacle, type Occasion, type Plan } from '../../model/decision.ts'
import { unreadable as unread } from '../../model/differences.ts'
import type { Drift, UnknownProperty } from '../../model/drift.ts'
import type { Reading, Seen, Unknown } from '../../model/observation.ts'
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
import { isMasked, maskedReason, whyNotDisabled, whyNotEnabled } from './why-not.ts'

/** What a policy says of a service. */
export interface ServiceDesired {
  /** What the policy calls it; an alias of the unit, perhaps. */
  readonly name?: string | undefined
  readonly ensure: 'running' | 'stopped'
  /** Not managed where it is undefined. */
  readonly enable?: boolean | undefined
  /** Whether a mask keeps everything from starting it. Not managed where it is undefined. */
  readonly masked?: boolean | undefined
}

/** A unit that exists. */
export interface ServiceState extends ServiceStatus {
  /** What starts it without a request; looked for where `asksForStarters` says so. */
  readonly starters?: Reading<readonly UnitStarter[]>
  /** What else changes with it; looked for where something is to be done. */
  readonly companions?: Reading<readonly CompanionUnit[]>
}

/** The unit the resource means, whether it exists or not. */
export type ServiceContext = UnitPlaces

/** What a fix does to the unit, one step after another. */
export interface ServiceAction {
  readonly unit: string
  readonly steps: readonly ServiceStep[]
  /** Units that would start it again, for which something is done before. */
  readonly starters?: readonly StarterSteps[]
  /** Units that stop or are restarted with it. */
  readonly along?: readonly string[]
}

/** What a unit is: running, stopped, or on its way for too long. @see systemd(1) */
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

/** What counts as enabled: also a unit that others pull in, so that nothing needs to be enabled; not what ends with the next start. */
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

/** What one of the two dimensions comes to. */
interface Finding {
  readonly drift: readonly Drift[]
  readonly unknown: readonly UnknownProperty[]
  readonly steps: readonly ServiceStep[]
  readonly obstacles: readonly Obstacle[]
  readonly starters?: readonly StarterSteps[]
}

const AS_WANTED: Finding = { drift: [], unknown: [], steps: [], obstacles: [] }

/**
 * Compares a service with its unit: whether it runs and whether it is enabled are independent of each other. Follows the
 * decision table of CCM's service type, except that a unit that has not settled is neither running nor stopped.
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
  const findings = [ensure, enable, masked, starters]
  return {
    ensure: {
      desired: desired.ensure,
      observed: runtime.kind === 'unknown' ? 'unknown' : RUNTIME[runtime.value.activeState],
    },
    drift: findings.flatMap(({ drift }) => drift),
    unknown: findings.flatMap((finding) => finding.unknown),
    comparesStored: (desired.enable ?? desired.masked) !== undefined && observed.state.enablement.kind === 'known',
    // A mask is taken away before, and put on after everything else.
    plan: withCompanions(
      makePlan(unit, desired.masked === false ? [masked, ensure, enable, starters] : findings),
      observed.state.companions,
    ),
    ...unknownCompanions(unit, observed.state.companions),
  }
}

/** What a fix would do to the unit itself, as far as other units may change with it. */
export function stepsFor(desired: ServiceDesired, state: ServiceState, subscribed: boolean): readonly ServiceStep[] {
  return [...compareEnsure(desired, state, subscribed).steps, ...compareEnable(desired, state).steps]
}

/** A unit that does not exist does not run. Its file may come with an earlier fix, or with a package it requires. */
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
): Finding {
  if (runtime.kind === 'unknown') return unreadable('ensure', runtime)
  const seen = RUNTIME[runtime.value.activeState]
  const isKept = runtime.value.loadState === 'masked' && masked !== false
  const obstacles = isKept ? [{ reason: maskedReason(unit) }] : []
  if (seen === wanted) {
    return wanted === 'running' && subscribed ? { ...AS_WANTED, steps: ['restart'], obstacles } : AS_WANTED
  }
  const drift: Drift = { property: 'ensure', desired: wanted, ...describeRuntime(runtime.value) }
  return wanted === 'running'
    ? { drift: [drift], unknown: [], steps: START, obstacles }
    : { drift: [drift], unknown: [], steps: ['stop'], obstacles: [] }
}

/** The observed value names what a stopped unit is besides: failed, or masked. */
function describeRuntime({ activeState, loadState, result }: UnitRuntime): Pick<Drift, 'observed' | 'note'> {
  const seen = RUNTIME[activeState]
  if (seen === 'running') return { observed: seen }
  if (seen !== 'stopped') return { observed: seen, note: 'it has not settled while it was waited for' }
  if (activeState === 'failed') return { observed: 'failed', note: `its last run ended with: ${result}` }
  if (loadState === 'masked') return { observed: 'masked' }
  if (loadState === 'loaded' || loadState === 'not-found') return { observed: seen }
  return { observed: seen, note: `systemd cannot use its unit file: ${loadState}` }
}

function compareEnable({ enable: wanted, masked }: ServiceDesired, { unit, enablement }: ServiceState): Finding {
  if (wanted === undefined) return AS_WANTED
  if (enablement.kind === 'unknown') return unreadable('enable', enablement)
  const { state, unsettled } = enablement.value
  // It is neither enabled for good nor disabled.
  const isAsWanted = ENABLED[state] === wanted && state !== 'enabled-runtime'
  if (isAsWanted) return unsettled === undefined ? AS_WANTED : unreadable('enable', unsettled)
  const drift = { property: 'enable', desired: wanted, observed: !wanted }
  const why = wanted ? whyNotEnabled(unit, enablement.value) : whyNotDisabled(unit, enablement.value)
  // What a mask is put on is kept from starting all the same, and what it is taken from shows only then what it is.
  const isBeside = wanted ? masked === false && isMasked(state) : masked === true
  const reason = isBeside ? undefined : why
  return {
    drift: [state === 'enabled' || state === 'disabled' ? drift : { ...drift, note: `the unit is ${state}` }],
    unknown: [],
    steps: wanted ? ENABLE : isBeside && why !== undefined ? [] : ['disable'],
    obstacles: reason === undefined ? [] : [{ reason }],
  }
}

/** A mask that is gone with the next start is half of one. */
function compareMasked({ name = '', masked: wanted }: ServiceDesired, { unit, enablement }: ServiceState): Finding {
  if (wanted === undefined) return AS_WANTED
  if (enablement.kind === 'unknown') return unreadable('masked', enablement)
  const { state, file } = enablement.value
  if (wanted ? state === 'masked' : !isMasked(state)) return AS_WANTED
  const drift = { property: 'masked', desired: wanted, observed: isMasked(state) }
  const note = state === 'masked-runtime' ? 'it is masked until the next start of the system' : `the unit is ${state}`
  // A mask is a link in its place.
  const isInTheWay = wanted && file === `${MASKS}/${unit}`
  const obstacles = [
    ...(isInTheWay ? [{ reason: `${file} is where the mask has to be: move it away` }] : []),
    ...(wanted && isTargetBehind(name, unit)
      ? [{ reason: `${name} is another name of ${unit}, which a mask would take with it: run systemctl mask ${name}` }]
      : []),
  ]
  return { ...AS_WANTED, drift: [{ ...drift, note }], steps: [wanted ? 'mask' : 'unmask'], obstacles }
}

/** Names such as ctrl-alt-del.target are there to be masked, and what they stand for, reboot.target, is not. */
function isTargetBehind(name: string, unit: string): boolean {
  return name.endsWith('.target') && name !== unit
}

/** Where systemctl puts masks. */
const MASKS = '/etc/systemd/system'

/** Nothing starts what is masked. */
function compareStartedBy(desired: ServiceDesired, { starters, enablement }: ServiceState): Finding {
  if (starters === undefined) return AS_WANTED
  if (enablement.kind === 'known' && isMasked(enablement.value.state)) return AS_WANTED
  if (starters.kind === 'unknown') return unreadable('started_by', starters)
  return { ...AS_WANTED, ...compareStarters(desired, starters.value) }
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
 * The two dimensions are independent: what stands in the way of one does not keep a service running that must be stopped. Where
 * nothing can be done the plan is refused.
 */
function makePlan(unit: string, findings: readonly Finding[]): Plan<ServiceAction> {
  const possible = findings.filter((finding) => standing(finding).length === 0)
  // A mask stands in the way of both and is said once.
  const [first, ...others] = unique(findings.flatMap(standing))
  const steps = possible.flatMap((finding) => finding.steps)
  const starters = findings.flatMap((finding) => finding.starters ?? [])
  const done = [
    ...starters.map((starter) => `${starter.steps.map((step) => DONE[step]).join(' and ')} ${starter.unit}`),
    ...steps.map((step) => DONE[step]),
  ]
  const text = `Would have ${done.join(', would have ')}`
  const obstacles = unique(possible.flatMap((finding) => finding.obstacles))
  const effects = [
    ...starters.flatMap((starter) => starter.steps.map((kind) => ({ kind, object: starter.unit }))),
    ...steps.map((kind) => ({ kind, object: kind === 'restart' ? 'the service via subscribe' : 'the service' })),
  ]
  const action = { unit, steps, ...(starters.length === 0 ? {} : { starters }) }
  const act = { kind: 'act', action, text, effects, obstacles } as const
  if (first === undefined) return done.length === 0 ? NO_PLAN : act
  return done.length === 0 ? { kind: 'refuse', obstacles: [first, ...others] } : { ...act, leaves: [first, ...others] }
}

/** What no earlier fix can take out of the way. */
function standing({ obstacles }: Finding): readonly Obstacle[] {
  return obstacles.filter(({ missing }) => missing === undefined)
}

function unique(obstacles: readonly Obstacle[]): readonly Obstacle[] {
  return [...new Map(obstacles.map((obstacle) => [obstacle.reason, obstacle])).values()]
}

function unreadable(property: string, why: Unknown): Finding {
  return { ...AS_WANTED, unknown: [unread(property, why)] }
}
