import { type Acceptance, isAccepted, type ValueOrder } from '../../model/acceptance.ts'
import type { Decision } from '../../model/decision.ts'
import { cannot, type Difference, differences, unreadable } from '../../model/differences.ts'
import type { UnknownProperty } from '../../model/drift.ts'
import type { Reading, Seen } from '../../model/observation.ts'
import { NUMBERS, SETS } from '../../model/value-orders.ts'
import type { NetworkInterface } from './interfaces.ts'
import { canonicalCidr } from '../../model/ip-address.ts'
import { acceptanceOf } from '../shared/acceptance-of.ts'
import { type Availability, isAvailable } from '../kernel-modules/module-availability.ts'

/** Desired state of one interface or of all; undefined properties are not compared. */
export interface InterfaceDesired {
  readonly name: string
  readonly ensure: 'present' | 'absent'
  readonly where_kind?: NetworkInterface['kind'] | undefined
  readonly up?: boolean | undefined
  readonly addresses?: readonly string[] | Acceptance<readonly string[], string> | undefined
  readonly mtu?: number | Acceptance<number> | undefined
  readonly wireless?: boolean | undefined
  readonly driver_available?: boolean | undefined
  readonly if_absent: 'drift' | 'compliant'
}

/** Interface, with the availability of its driver module; undefined if there is no module or the policy does not require it. */
export interface ObservedInterface extends NetworkInterface {
  readonly availability?: Reading<Availability>
}

/** Name that selects all interfaces. */
export const ALL = '*'

interface Found {
  readonly drift: readonly Difference[]
  readonly unknown: readonly UnknownProperty[]
}

const NOTHING: Found = { drift: [], unknown: [] }

/** Compares the selected interfaces with the policy. */
export function decideInterface(
  wanted: InterfaceDesired,
  observed: Seen<readonly ObservedInterface[]>,
): Decision<never> {
  if (observed.kind === 'absent') return decideNone(wanted)
  const ensure = { desired: wanted.ensure, observed: 'present' }
  const found = observed.state.map((seen) =>
    wanted.ensure === 'absent' ? decideUnwanted(wanted, seen) : compareOne(wanted, seen),
  )
  const obstacles = observed.state.map((seen) => cannot(howToChange(seen)))
  const drift = found.flatMap((each) => each.drift)
  return differences(drift, {
    ensure,
    unknown: found.flatMap(({ unknown }) => unknown),
    obstacles: obstacles.slice(0, 1),
  })
}

function decideNone({ name, ensure: wanted, if_absent: ifAbsent }: InterfaceDesired): Decision<never> {
  const ensure = { desired: wanted, observed: 'absent' }
  if (wanted === 'absent') return differences([], { ensure })
  if (ifAbsent === 'compliant' || name === ALL)
    return differences([], { ensure, messages: ['the interface does not exist'] })
  const obstacle = cannot('a fix does not create interfaces: add it to the network configuration, or load its driver')
  return differences([{ property: 'ensure', original: 'absent', desired: 'present' }], {
    ensure,
    obstacles: [obstacle],
  })
}

/** Path of a drift: the interface name if all interfaces are selected. */
function placeOf({ name }: InterfaceDesired, seen: ObservedInterface): { readonly path?: string } {
  return name === ALL ? { path: seen.name } : {}
}

function decideUnwanted(wanted: InterfaceDesired, seen: ObservedInterface): Found {
  const drift = {
    property: 'ensure',
    original: 'present',
    desired: 'absent',
    ...placeOf(wanted, seen),
    note: describeInterface(seen),
  }
  return { drift: [drift], unknown: [] }
}

function compareOne(wanted: InterfaceDesired, seen: ObservedInterface): Found {
  const { up, mtu, wireless } = wanted
  const place = placeOf(wanted, seen)
  const note = describeInterface(seen)
  const isWireless = seen.kind === 'wireless'
  const found: readonly (Found | false)[] = [
    up !== undefined &&
      seen.isUp !== up &&
      driftFinding({ property: 'up', original: seen.isUp, desired: up, ...place, note }),
    mtu !== undefined &&
      !isAccepted(NUMBERS, acceptanceOf(mtu), seen.mtu) &&
      driftFinding({ property: 'mtu', original: seen.mtu, desired: mtu, ...place }),
    wireless !== undefined &&
      isWireless !== wireless &&
      driftFinding({ property: 'wireless', original: isWireless, desired: wireless, ...place, note }),
    compareAddresses(wanted, seen),
    compareDriver(wanted, seen),
  ]
  const kept = found.filter((each) => each !== false)
  return { drift: kept.flatMap(({ drift }) => drift), unknown: kept.flatMap(({ unknown }) => unknown) }
}

function driftFinding(difference: Difference): Found {
  return { drift: [difference], unknown: [] }
}

function compareAddresses(wanted: InterfaceDesired, seen: ObservedInterface): Found {
  if (wanted.addresses === undefined) return NOTHING
  if (seen.addresses.kind === 'unknown') return { drift: [], unknown: [unreadable('addresses', seen.addresses)] }
  const written = acceptanceOf<readonly string[], string>(wanted.addresses)
  if (isAccepted(ADDRESSES, written, seen.addresses.value)) return NOTHING
  const original = seen.addresses.value.join(', ')
  return driftFinding({
    property: 'addresses',
    original,
    desired: written,
    whenEmpty: 'none',
    ...placeOf(wanted, seen),
  })
}

/** Addresses have several notations. */
const ADDRESSES: ValueOrder<readonly string[], string> = {
  equals: (left, right) => SETS.equals(left.map(canonicalCidr), right.map(canonicalCidr)),
  raise: (list, bound) => [...list, ...excludeItems(bound, list)],
  lower: (list, bound) => excludeItems(list, excludeItems(list, bound)),
  include: (list, items) => [...list, ...excludeItems(items, list)],
  exclude: excludeItems,
}

function excludeItems(list: readonly string[], items: readonly string[]): readonly string[] {
  const unwanted = new Set(items.map(canonicalCidr))
  return list.filter((each) => !unwanted.has(canonicalCidr(each)))
}

function compareDriver(wanted: InterfaceDesired, seen: ObservedInterface): Found {
  const { driver_available: desired } = wanted
  const { availability } = seen
  if (desired === undefined || availability === undefined) return NOTHING
  const found = availability.kind === 'unknown' ? availability : isAvailable(availability.value, desired)
  if (found.kind === 'unknown') return { drift: [], unknown: [unreadable('driver_available', found)] }
  if (found.value === desired) return NOTHING
  const place = placeOf(wanted, seen)
  return driftFinding({
    property: 'driver_available',
    original: found.value,
    desired,
    ...place,
    note: describeInterface(seen),
  })
}

function describeInterface({ name, kind, driver }: ObservedInterface): string {
  return `${name} is ${kind === 'other' ? 'an interface' : kind}${driver === undefined ? '' : `, driver ${driver}`}`
}

function howToChange({ name, driver }: ObservedInterface): string {
  const forGood = driver === undefined ? '' : `, or disable its driver permanently with kernel_module ${driver}`
  return `${name} is managed by the network configuration: change it there${forGood}`
}
