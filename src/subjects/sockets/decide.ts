import type { Acceptance } from '../../model/acceptance.ts'
import type { Decision } from '../../model/decision.ts'
import { cannot, type Difference, differences, unreadable } from '../../model/differences.ts'
import type { UnknownProperty } from '../../model/drift.ts'
import type { Reading, Seen, Unknown } from '../../model/observation.ts'
import type { ListeningSocket, SocketOwner } from './sockets.ts'
import { acceptsAddresses, type DesiredAddress } from './addresses.ts'
import { isAllowed, parsePortName } from './name.ts'
import { acceptsOwner, namesOfOwner, OWNER_RULES } from './owner.ts'

/** The desired state of one port or all ports; undefined properties are not compared. */
export interface PortDesired {
  readonly name: string
  readonly ensure: 'listening' | 'closed'
  readonly where_address?: DesiredAddress | undefined
  readonly addresses?: DesiredAddress | undefined
  readonly process?: string | Acceptance<string> | undefined
  readonly user?: string | Acceptance<string> | undefined
  readonly unit?: string | Acceptance<string> | undefined
  readonly only?: readonly string[] | undefined
  readonly if_absent: 'drift' | 'compliant'
}

export interface ObservedSocket extends ListeningSocket {
  readonly owner: Reading<SocketOwner>
}

export interface PortState {
  readonly sockets: readonly ObservedSocket[]
  /** User names by UID. */
  readonly users: ReadonlyMap<number, string>
  /** Why another socket may match, too. */
  readonly undecided?: Unknown
}

interface Found {
  readonly drift: readonly Difference[]
  readonly unknown: readonly UnknownProperty[]
}

/** Compares the listening sockets with the policy; one drift for each port and property. */
export function decidePort(wanted: PortDesired, observed: Seen<PortState>): Decision<never> {
  if (observed.kind === 'absent') return decideClosed(wanted)
  const { state } = observed
  const ensure = { desired: wanted.ensure, observed: 'listening' }
  const groups = byPort(state.sockets)
  const obstacles = [cannot(howToChange(state.sockets), { mayComeWithRequirement: true })]
  if (wanted.ensure === 'closed') {
    const drift = groups.map((sockets): Difference => {
      return {
        property: 'ensure',
        original: 'listening',
        desired: 'closed',
        ...placeOf(wanted, sockets),
        note: noteOn(sockets),
      }
    })
    return differences(drift, { ensure, obstacles })
  }
  const found = groups.flatMap((sockets) => [
    compareOnly(wanted, sockets),
    compareAddresses(wanted, sockets),
    ...OWNER_RULES.map((property) => compareOwner(property, wanted, sockets, state.users)),
  ])
  return differences(
    found.flatMap(({ drift }) => drift),
    { ensure, unknown: [...hiddenIn(state, wanted), ...found.flatMap(({ unknown }) => unknown)], obstacles },
  )
}

/** Whether the name matches all ports: then the absence of listening sockets is compliant. */
function asksForAll(name: string): boolean {
  return parsePortName(name)?.port === undefined
}

function decideClosed({ name, ensure: wanted, if_absent: ifAbsent }: PortDesired): Decision<never> {
  const ensure = { desired: wanted, observed: 'closed' }
  if (wanted === 'closed') return differences([], { ensure })
  if (ifAbsent === 'compliant' || asksForAll(name)) {
    return differences([], { ensure, messages: ['no process listens on it'] })
  }
  const reason = 'a fix does not open ports: start the service or socket that listens on it with a "service" resource'
  return differences([{ property: 'ensure', original: 'closed', desired: 'listening' }], {
    ensure,
    obstacles: [cannot(reason, { mayComeWithRequirement: true })],
  })
}

/** The properties that a socket with an uncertain match may violate. */
function hiddenIn({ undecided }: PortState, wanted: PortDesired): readonly UnknownProperty[] {
  if (undecided === undefined) return []
  const asked = (['only', 'addresses', ...OWNER_RULES] as const).filter((property) => wanted[property] !== undefined)
  return asked.map((property) => unreadable(property, undecided))
}

type Group = readonly [ObservedSocket, ...ObservedSocket[]]

function byPort(sockets: readonly ObservedSocket[]): readonly Group[] {
  const groups = new Map<string, [ObservedSocket, ...ObservedSocket[]]>()
  for (const socket of sockets) {
    const key = portOf(socket)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [socket])
    else group.push(socket)
  }
  return [...groups.values()]
}

function portOf({ protocol, port }: ListeningSocket): string {
  return `${protocol}:${port}`
}

/** The port, if the name does not contain it. */
function placeOf({ name }: PortDesired, [first]: Group): { readonly path?: string } {
  return asksForAll(name) ? { path: portOf(first) } : {}
}

function compareOnly(wanted: PortDesired, sockets: Group): Found {
  const { only } = wanted
  if (only === undefined) return NOTHING
  const [first] = sockets
  if (isAllowed(first, only)) return NOTHING
  const desired = only.length === 0 ? 'none' : { one_of: only }
  const original = portOf(first)
  return { drift: [{ property: 'only', original, desired, path: original, note: noteOn(sockets) }], unknown: [] }
}

const NOTHING: Found = { drift: [], unknown: [] }

function compareAddresses(wanted: PortDesired, sockets: Group): Found {
  const { addresses } = wanted
  if (addresses === undefined) return NOTHING
  const others = sockets.filter((socket) => !acceptsAddresses(addresses, socket, 'all'))
  if (others.length === 0) return NOTHING
  const original = addressesOf(others)
  const difference = {
    property: 'addresses',
    original,
    desired: addresses,
    ...placeOf(wanted, sockets),
    note: describeOwners(others),
  }
  return { drift: [difference], unknown: [] }
}

function compareOwner(
  property: (typeof OWNER_RULES)[number],
  wanted: PortDesired,
  sockets: Group,
  users: PortState['users'],
): Found {
  const desired = wanted[property]
  if (desired === undefined) return NOTHING
  const unknown: UnknownProperty[] = []
  const values = new Set<string>()
  for (const { owner } of sockets) {
    const accepted = owner.kind === 'unknown' ? owner : acceptsOwner(property, desired, owner.value, users)
    if (accepted.kind === 'unknown') unknown.push(unreadable(property, accepted))
    else for (const text of accepted.value) values.add(text)
  }
  const drift = {
    property,
    original: [...values].join(', '),
    desired,
    ...placeOf(wanted, sockets),
    note: noteOn(sockets),
  }
  return { drift: values.size === 0 ? [] : [drift], unknown: unknown.slice(0, 1) }
}

function addressesOf(sockets: readonly ObservedSocket[]): string {
  return [...new Set(sockets.map(({ address }) => address))].join(', ')
}

/** The addresses and owners of the sockets. */
function noteOn(sockets: readonly ObservedSocket[]): string {
  return `on ${addressesOf(sockets)}, ${describeOwners(sockets)}`
}

function describeOwners(sockets: readonly ObservedSocket[]): string {
  return [...new Set(sockets.map(({ owner }) => namesOfOwner(owner)))].join('; ')
}

function unitsOf(sockets: readonly ObservedSocket[]): readonly string[] {
  const units = sockets.flatMap(({ owner }) => {
    return owner.kind === 'known' && owner.value.units.kind === 'known' ? owner.value.units.value : []
  })
  return [...new Set(units)]
}

function howToChange(sockets: readonly ObservedSocket[]): string {
  const [first, second] = unitsOf(sockets)
  if (first === undefined) return 'a fix does not close ports: reconfigure or stop the process that listens'
  const units = second === undefined ? first : `${first} and ${second}`
  return `a fix does not close ports: change the listen address of ${units}, or stop, disable or mask it with a "service" resource`
}
