import type { ExportsOf } from '../../model/exported.ts'
import type { ApplyOutcome, Occasion } from '../../model/decision.ts'
import { type Observation, present, type Seen } from '../../model/observation.ts'
import {
  defineExports,
  defineProperties,
  defineResource,
  type ResourceContext,
  type ResourceType,
} from '../../resource-type/define.ts'
import type { Remediator } from '../../host/remediator.ts'
import type { Target } from '../../host/target.ts'
import { defined } from '../../model/defined.ts'
import { recordFiles } from '../../settings/files.ts'
import { unitKind, unitName } from '../../host/systemd/unit-name.ts'
import { type Group, GROUP_KINDS, groupIn, groupOf, groupRules, groupSpec } from '../shared/group.ts'
import { riskOfUnits } from '../shared/risk.ts'
import { serviceCapture } from './capture.ts'
import { ENABLED, RUNTIME, type ServiceAction, type ServiceContext, type ServiceState, stepsFor } from './decide.ts'
import { decideServices, oneService, type ServiceOrGroup, type ServiceOrGroupObserved } from './group.ts'
import { asksForStarters } from './starters.ts'
import { SERVICES } from './subject.ts'
import { twinsOf } from './twins.ts'

const properties = defineProperties({
  name: {
    kind: 'text',
    required: true,
    nonEmpty: true,
    phase: 'early',
    summary:
      'Name of the unit; without a type it is a `.service`. An alias resolves to its unit, `getty@tty1` is an instance of a template. Any title for a group.',
  },
  ensure: {
    kind: 'text',
    oneOf: ['running', 'stopped'],
    phase: 'early',
    summary: 'Whether the service must be running now: `running` by default.',
  },
  enable: {
    kind: 'boolean',
    summary:
      'Whether the service must start at boot. Not managed if omitted. A service that is `stopped`, or `enable: false`, must not be started by a socket, timer or path, by the message bus, or by a unit that starts with the system and depends on it, either, nor may another service that starts with the system run its program (`started_by`); a fix stops and disables the first three of these first.',
  },
  masked: {
    kind: 'boolean',
    summary:
      'Whether the service is masked, so that nothing can start it, now and after a reboot. Not managed if omitted. A unit that does not exist needs no mask.',
  },
  one_of: groupSpec('Services of which at least one must run and start at boot. A fix uses the first that exists.'),
  exactly_one_of: groupSpec(
    'Services of which exactly one must run and start at boot. If several do, a fix does not choose.',
  ),
  none_of: groupSpec('Services that must not run or start at boot, as if each were `stopped` with `enable: false`.'),
})

const exports = defineExports({
  unit: { kind: 'text', summary: 'The full name of its unit; for an alias, that of its target unit.' },
  exists: { kind: 'boolean', summary: 'Whether the unit exists.' },
  running: { kind: 'boolean', summary: 'Whether it runs.' },
  active: { kind: 'text', summary: 'The state of its unit in the words of systemd: `active`, `failed` and so on.' },
  enabled: {
    kind: 'boolean',
    summary: 'Whether it starts at boot, by itself or as a dependency of another unit.',
  },
  enablement: { kind: 'text', summary: 'The same in the words of systemd: `enabled`, `static`, `masked` and so on.' },
})

/** Services: whether they run, and whether they start at boot. */
export const service: ResourceType = defineResource({
  type: 'service',
  summary: 'Services: whether they run and whether they start at boot.',
  properties,
  rules: [
    {
      summary: 'The name is a unit name, except for a group.',
      reads: ['name', ...GROUP_KINDS],
      at: 'name',
      check: ({ name, ...group }) =>
        name === undefined || groupOf(group) !== undefined ? undefined : serviceNameProblem(name),
    },
    {
      summary: '`masked: true` requires `ensure: stopped` and excludes `enable: true`.',
      reads: ['ensure', 'enable', 'masked'],
      at: 'masked',
      check({ ensure, enable, masked }) {
        if (masked !== true || (ensure === 'stopped' && enable !== true)) return undefined
        return "'masked: true' requires 'ensure: stopped' and excludes 'enable: true': a masked service cannot start"
      },
    },
    {
      summary: 'A group has neither `enable` nor `masked`.',
      reads: ['enable', 'masked', ...GROUP_KINDS],
      check: ({ enable, masked, ...group }) =>
        groupOf(group) === undefined || (enable === undefined && masked === undefined)
          ? undefined
          : 'a group of services cannot have "enable" or "masked": its list determines which services start at boot',
    },
    ...groupRules(serviceNameProblem),
  ],
  exclusive: [['ensure', ...GROUP_KINDS]],
  exports,
  drifts: ['ensure', 'enable', 'masked', 'started_by', 'active'],
  neverSecret: ['ensure', 'enable', 'masked', 'started_by', 'active'],
  subscribes: true,
  examples: [
    {
      title: 'A service that runs and starts at boot',
      yaml: `
        service:
          - ssh:
              ensure: running
              enable: true`,
    },
    {
      title: 'A service that must neither run nor start at boot',
      yaml: `
        service:
          - avahi-daemon:
              ensure: stopped
              enable: false`,
    },
    {
      title: 'A masked service that cannot be started',
      yaml: `
        service:
          - rpcbind:
              ensure: stopped
              masked: true`,
    },
    {
      title: 'An instance of a template',
      yaml: `
        service:
          - getty@tty1:
              ensure: running`,
    },
    {
      title: 'Exactly one of several services',
      yaml: `
        service:
          - one firewall:
              exactly_one_of:
                - nftables
                - firewalld
                - ufw`,
    },
  ],
  providers: [
    {
      name: 'systemd',
      platforms: ['linux'],
      // systemd needs no reload.
      observe: observeService,
      apply: applyService,
    },
  ],
  decide: decideServices,
  hazards: (_wanted, { unit, starters = [], along = [] }) => ({
    risk: riskOfUnits([unit, ...starters.map((other) => other.unit), ...along]),
  }),
  exportsOf: exportsOfService,
  exportsAfter: exportsOfServiceAfter,
  capture: serviceCapture,
  announce({ open }, names) {
    // A name may still contain a template expression.
    open(SERVICES).announce(names.filter((name) => serviceNameProblem(name) === undefined).map(unitName))
  },
})

async function observeService(
  target: Target,
  desired: ServiceOrGroup & { readonly name: string },
  context: ResourceContext,
  { subscribed }: Occasion,
): Promise<Observation<ServiceOrGroupObserved, ServiceContext>> {
  const group = groupOf(desired)
  if (group !== undefined) return observeGroup(target, group, context)
  const wanted = oneService(desired)
  const seen = await observeUnit(target, { name: desired.name, withStarters: asksForStarters(wanted) }, context)
  if (seen.kind !== 'present') return seen
  const isUnwanted = wanted.masked === true || wanted.enable === false
  const twins = isUnwanted ? twinsOf(recordFiles(target).files, seen.state.unit) : undefined
  const state = { ...seen.state, ...defined({ twins }) }
  const steps = stepsFor(wanted, state, subscribed)
  if (steps.length === 0) return present(state, seen.context)
  const companions = await target.open(SERVICES).companions(state.unit, steps, context.signal)
  return present({ ...state, companions }, seen.context)
}

async function observeUnit(
  { open }: Target,
  { name, withStarters }: { readonly name: string; readonly withStarters: boolean },
  { signal }: ResourceContext,
): Promise<Observation<ServiceState, ServiceContext>> {
  const services = open(SERVICES)
  const seen = await services.status(unitName(name), signal)
  if (seen.kind !== 'present' || !withStarters) return seen
  const starters = await services.starters(seen.state.unit, signal)
  return present({ ...seen.state, starters }, seen.context)
}

/** Observes each member. Starters matter, because the group may have too many running members. */
async function observeGroup(
  target: Target,
  group: Group,
  context: ResourceContext,
): Promise<Observation<ServiceOrGroupObserved, ServiceContext>> {
  const withStarters = group.kind !== 'one_of'
  target.open(SERVICES).announce(group.names.map(unitName))
  const members = await Promise.all(
    group.names.map(async (name) => ({ name, seen: await observeUnit(target, { name, withStarters }, context) })),
  )
  return present({ group, members }, { unit: '', unitFiles: [] })
}

/** Changes the starters first, then the service. A failed step does not prevent the others. */
async function applyService(
  { open }: Remediator,
  _desired: unknown,
  { unit, steps, starters = [] }: ServiceAction,
  { signal }: ResourceContext,
): Promise<ApplyOutcome> {
  const outcomes: ApplyOutcome[] = []
  for (const each of [...starters, { unit, steps }]) {
    if (each.steps.length > 0) outcomes.push(await open(SERVICES).change(each.unit, each.steps, signal))
  }
  const failures = outcomes.filter((outcome) => outcome.kind === 'failed')
  const [first, ...others] = failures
  if (first === undefined || others.length === 0) return first ?? { kind: 'done' }
  return { ...first, message: failures.map(({ message }) => message).join('; ') }
}

const DANGEROUS = /[;&|$`()[\]{}<>*?'"\\!\n\t\r]/
const ALLOWED = /^[A-Za-z0-9._+:~@-]+$/

/** The problem with the name of a service; undefined if valid. */
export function serviceNameProblem(name: string): string | undefined {
  const quoted = JSON.stringify(name)
  if (DANGEROUS.test(name)) return `service name contains dangerous characters: ${quoted}`
  if (!ALLOWED.test(name)) {
    return `service name contains invalid characters: ${quoted} (allowed: alphanumeric, ._+:~@-)`
  }
  if (name.startsWith('-')) return `service name ${quoted} must not start with a dash`
  switch (unitKind(unitName(name))) {
    case undefined:
      return `${quoted} is not a valid unit name`
    case 'template':
      return `${quoted} is a template and cannot run; name an instance of it, such as "getty@tty1"`
    case 'plain':
    case 'instance':
      return undefined
  }
}

/** The exported values of a service. Values that the service manager did not report are left out. */
export function exportsOfService(
  _: unknown,
  observed: Seen<ServiceOrGroupObserved, ServiceContext>,
): ExportsOf<typeof exports> {
  // A group exports none of these values.
  if (groupIn(observed) !== undefined) return {}
  if (observed.kind === 'absent') {
    return { unit: observed.context.unit, exists: false, running: false, enabled: false }
  }
  const { unit, runtime, enablement } = observed.state as ServiceState
  return {
    unit,
    exists: true,
    ...(runtime.kind === 'unknown'
      ? {}
      : { running: RUNTIME[runtime.value.activeState] === 'running', active: runtime.value.activeState }),
    ...(enablement.kind === 'unknown'
      ? {}
      : { enabled: ENABLED[enablement.value.state], enablement: enablement.value.state }),
  }
}

/** The exported values after the action. The enablement after a mask step depends on systemd. */
export function exportsOfServiceAfter(
  desired: unknown,
  observed: Seen<ServiceOrGroupObserved, ServiceContext>,
  { steps }: ServiceAction,
): ExportsOf<typeof exports> {
  const { unit, running, enabled } = exportsOfService(desired, observed)
  if (unit === undefined) return {}
  const isMasking = steps.includes('mask') || steps.includes('unmask')
  const isStarted = steps.includes('start') || steps.includes('restart')
  return {
    unit,
    exists: true,
    running: isStarted || (steps.includes('stop') ? false : running),
    ...(isMasking ? {} : { enabled: steps.includes('enable') || (steps.includes('disable') ? false : enabled) }),
  }
}
