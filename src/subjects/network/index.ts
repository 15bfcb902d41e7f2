import type { Target } from '../../host/target.ts'
import { valuesNamed } from '../../model/acceptance.ts'
import type { ExportsOf } from '../../model/exported.ts'
import { parseNetwork } from '../../model/ip-address.ts'
import { type Seen, absent, known, type Observation, present, type Reading } from '../../model/observation.ts'
import { defineExports, defineProperties, defineResource, type ResourceType } from '../../resource-type/define.ts'
import { type Availability, availabilityOf } from '../kernel-modules/module-availability.ts'
import { KERNEL_MODULES } from '../kernel-modules/subject.ts'
import { acceptanceOf } from '../shared/acceptance-of.ts'
import { ALL, decideInterface, type InterfaceDesired, type ObservedInterface } from './decide.ts'
import { INTERFACES } from './subject.ts'

const properties = defineProperties({
  name: {
    kind: 'text',
    required: true,
    nonEmpty: true,
    phase: 'early',
    pattern: { expression: String.raw`\*|[^\s/:*]+`, describes: 'the name of an interface, or *' },
    summary: 'The interface, or `*` for all interfaces in the network namespace of driftgate.',
  },
  ensure: {
    kind: 'text',
    oneOf: ['present', 'absent'],
    default: 'present',
    phase: 'early',
    summary: 'Whether the interface exists.',
  },
  where_kind: {
    kind: 'text',
    oneOf: ['loopback', 'wireless', 'bridge', 'other'],
    phase: 'early',
    parameter: true,
    summary: 'Selects interfaces of this kind only.',
  },
  up: {
    kind: 'boolean',
    phase: 'early',
    summary: 'Whether the interface is administratively up, with or without carrier.',
  },
  addresses: {
    kind: 'list',
    items: { kind: 'text', nonEmpty: true, summary: 'An address with prefix length, `10.0.0.5/24`.' },
    accepts: 'set',
    phase: 'early',
    summary: 'Its addresses, including IPv6 link-local addresses (`fe80::…/64`).',
  },
  mtu: {
    kind: 'integer',
    minimum: 0,
    accepts: 'number',
    phase: 'early',
    summary: 'Its MTU in bytes.',
  },
  wireless: { kind: 'boolean', phase: 'early', summary: 'Whether it is a wireless interface.' },
  driver_available: {
    kind: 'boolean',
    phase: 'early',
    summary:
      'Whether the module of its driver can be loaded, as with `available` of `kernel_module`; a built-in driver is always available.',
  },
  if_absent: {
    kind: 'text',
    oneOf: ['drift', 'compliant'],
    default: 'drift',
    phase: 'early',
    parameter: true,
    summary: 'Verdict if the interface that `ensure` requires does not exist; always compliant with the name `*`.',
  },
})

const exports = defineExports({
  names: { kind: 'text', summary: 'Names of the selected interfaces, comma-separated.' },
  count: { kind: 'integer', summary: 'Number of selected interfaces.' },
})

export const interfaceType: ResourceType = defineResource({
  type: 'interface',
  summary: 'Network interfaces in the running kernel: state, addresses and wireless interfaces.',
  properties,
  rules: [
    {
      summary: '`ensure: absent` excludes other requirements, and the name `*` needs one.',
      reads: ['name', 'ensure', 'up', 'addresses', 'mtu', 'wireless', 'driver_available'],
      check: ensureProblem,
    },
    { reads: ['addresses'], at: 'addresses', check: ({ addresses }) => addressProblem(addresses) },
  ],
  exports,
  drifts: ['ensure', 'up', 'mtu', 'wireless', 'addresses', 'driver_available'],
  neverSecret: ['ensure', 'up', 'mtu', 'wireless', 'driver_available'],
  examples: [
    {
      title: 'No wireless interface is up, and no wireless driver is loaded at boot',
      yaml: `
        interface:
          - "*":
              where_kind: wireless
              up: false
              driver_available: false`,
    },
    {
      title: 'The cluster interface',
      yaml: `
        interface:
          - eth1:
              up: true
              mtu: { at_least: 9000 }
              addresses: { includes: [10.0.0.5/24] }`,
    },
  ],
  platforms: ['linux'],
  observe: observeInterface,
  decide: decideInterface,
  apply: async () => ({ kind: 'failed', message: 'a fix does not change interfaces' }),
  exportsOf: exportsOfInterface,
})

const COMPARED = ['up', 'addresses', 'mtu', 'wireless', 'driver_available'] as const

function ensureProblem(given: Partial<InterfaceDesired>): string | undefined {
  const said = COMPARED.find((name) => given[name] !== undefined)
  if (given.ensure === 'absent')
    return said === undefined ? undefined : `ensure: absent cannot be combined with "${said}"`
  return given.name === ALL && said === undefined
    ? 'the name * needs a requirement such as up, addresses or wireless'
    : undefined
}

function addressProblem(addresses: InterfaceDesired['addresses']): string | undefined {
  if (addresses === undefined) return undefined
  const { includes = [], excludes = [], ...lists } = acceptanceOf<readonly string[], string>(addresses)
  const written = [...valuesNamed<readonly string[]>(lists).flat(), ...includes, ...excludes]
  const wrong = written.find((each) => !each.includes('/') || parseNetwork(each) === undefined)
  return wrong === undefined
    ? undefined
    : `addresses contains "${wrong}", which is not an address with prefix length such as 10.0.0.5/24`
}

function exportsOfInterface(
  _desired: unknown,
  observed: Seen<readonly ObservedInterface[]>,
): ExportsOf<typeof exports> {
  const meant = observed.kind === 'absent' ? [] : observed.state
  return { names: meant.map(({ name }) => name).join(','), count: meant.length }
}

type Machine = Pick<Target, 'open'>

/** Finds the selected interfaces and, if required by the policy, the availability of their drivers. */
async function observeInterface(
  { open }: Machine,
  { name, where_kind: kind, driver_available: asked }: Omit<InterfaceDesired, 'ensure' | 'if_absent'>,
): Promise<Observation<readonly ObservedInterface[]>> {
  const list = await open(INTERFACES).list()
  if (list.kind === 'unknown') return list
  const meant = list.value.filter(
    (each) => (name === ALL || each.name === name) && (kind === undefined || each.kind === kind),
  )
  if (meant.length === 0) return absent()
  const driverOf = (driver: string | undefined): Reading<Availability> => {
    // A built-in driver has no module; a missing driver looks the same.
    if (driver === undefined) return known({ kind: 'built-in' })
    const status = open(KERNEL_MODULES).status(driver)
    return status.kind === 'unknown' ? status : availabilityOf(status.value.place, status.value.configuration)
  }
  return present(meant.map((each) => (asked === undefined ? each : { ...each, availability: driverOf(each.driver) })))
}
