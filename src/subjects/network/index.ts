import { valuesNamed } from '../../model/acceptance.ts'
import type { ExportsOf } from '../../model/exported.ts'
import type { Seen } from '../../model/observation.ts'
import { defineExports, defineProperties, defineResource, type ResourceType } from '../../resource-type/define.ts'
import { parseNetwork } from '../../host/ip-address.ts'
import { acceptanceOf } from '../shared/acceptance-of.ts'
import { ALL, decideInterface, type InterfaceDesired, type ObservedInterface } from './decide.ts'
import { observeInterface } from './observe.ts'

const properties = defineProperties({
  name: {
    kind: 'text',
    required: true,
    nonEmpty: true,
    phase: 'early',
    pattern: { expression: String.raw`\*|[^\s/:*]+`, describes: 'the name of an interface, or *' },
    summary: 'The interface, or `*` for all of the network namespace in which driftgate runs.',
  },
  ensure: {
    kind: 'text',
    oneOf: ['present', 'absent'],
    default: 'present',
    phase: 'early',
    summary: 'Whether there is such an interface.',
  },
  where_kind: {
    kind: 'text',
    oneOf: ['loopback', 'wireless', 'bridge', 'other'],
    phase: 'early',
    parameter: true,
    summary: 'Only interfaces of this kind.',
  },
  up: {
    kind: 'boolean',
    phase: 'early',
    summary: 'Whether the interface is administratively up, with or without carrier.',
  },
  addresses: {
    kind: 'list',
    items: { kind: 'text', nonEmpty: true, summary: 'An address with the length of its prefix, `10.0.0.5/24`.' },
    accepts: 'set',
    phase: 'early',
    summary: 'Its addresses; those of IPv6 that it gives itself (`fe80::…/64`) are among them.',
  },
  mtu: {
    kind: 'integer',
    minimum: 0,
    accepts: 'number',
    phase: 'early',
    summary: 'The largest packet that it takes, in bytes.',
  },
  wireless: { kind: 'boolean', phase: 'early', summary: 'Whether it is one of a wireless network.' },
  driver_available: {
    kind: 'boolean',
    phase: 'early',
    summary:
      'Whether the module of its driver can be loaded, as with `available` of `kernel_module`; a driver that is part of the kernel always is.',
  },
  if_absent: {
    kind: 'text',
    oneOf: ['drift', 'compliant'],
    default: 'drift',
    phase: 'early',
    parameter: true,
    summary: 'What it is if there is no such interface although `ensure` says so; with the name `*` it is compliant.',
  },
})

const exports = defineExports({
  names: { kind: 'text', summary: 'The names of those that are meant, with commas between them.' },
  count: { kind: 'integer', summary: 'How many are meant.' },
})

export const interfaceType: ResourceType = defineResource({
  type: 'interface',
  summary: 'Network interfaces as the kernel has them now: whether they are up, their addresses, and wireless ones.',
  properties,
  rules: [
    {
      summary: 'Of an interface that must not be there nothing else is said, and of all interfaces something is.',
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
      title: 'No wireless interface is up, and no driver of one comes back with the next start',
      yaml: `
        interface:
          - "*":
              where_kind: wireless
              up: false
              driver_available: false`,
    },
    {
      title: 'The interface to the others of the cluster',
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
  apply: async () => ({ kind: 'failed', message: 'a fix changes no interface' }),
  exportsOf: exportsOfInterface,
})

const COMPARED = ['up', 'addresses', 'mtu', 'wireless', 'driver_available'] as const

function ensureProblem(given: Partial<InterfaceDesired>): string | undefined {
  const said = COMPARED.find((name) => given[name] !== undefined)
  if (given.ensure === 'absent')
    return said === undefined ? undefined : `an interface that must not be there has no "${said}"`
  return given.name === ALL && said === undefined ? 'says nothing of the interfaces that there are' : undefined
}

function addressProblem(addresses: InterfaceDesired['addresses']): string | undefined {
  if (addresses === undefined) return undefined
  const { includes = [], excludes = [], ...lists } = acceptanceOf<readonly string[], string>(addresses)
  const written = [...valuesNamed<readonly string[]>(lists).flat(), ...includes, ...excludes]
  const wrong = written.find((each) => !each.includes('/') || parseNetwork(each) === undefined)
  return wrong === undefined
    ? undefined
    : `addresses has "${wrong}", which is no address with its prefix such as 10.0.0.5/24`
}

function exportsOfInterface(
  _desired: unknown,
  observed: Seen<readonly ObservedInterface[]>,
): ExportsOf<typeof exports> {
  const meant = observed.kind === 'absent' ? [] : observed.state
  return { names: meant.map(({ name }) => name).join(','), count: meant.length }
}
