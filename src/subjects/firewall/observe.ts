import {
  known,
  type Observation,
  present,
  type Reading,
  unknown,
  readLists,
  mapReading,
} from '../../model/observation.ts'
import { addressNumber } from './rules/addresses.ts'
import type { KeptPort } from './rules/kept.ts'
import type { Surroundings } from './rules/question.ts'
import type { AddressFamily } from './rules/packets.ts'
import type { Ruleset } from './rules/ruleset.ts'
import type { ListeningSocket, Sockets } from '../sockets/sockets.ts'
import type { Target } from '../../host/target.ts'
import type { FirewallState, Scene } from './compare.ts'
import { managersOf, type ManagersObserved } from './managers.ts'
import { type FirewallDesired, hookOf, isAllowed, type Listener, wantsStored } from './wanted.ts'
import { INTERFACES } from '../network/subject.ts'
import { SOCKETS } from '../sockets/subject.ts'
import { FIREWALL } from './subject.ts'

const NO_RULES: Ruleset = { tables: [], chains: [] }

type Machine = Pick<Target, 'open' | 'probe'>

/** Looks at the rules of the kernel, at what keeps them, and at who listens. */
export async function observeFirewall(
  target: Machine,
  wanted: FirewallDesired,
  { signal }: { readonly signal: AbortSignal },
): Promise<Observation<FirewallState>> {
  const [scene, managers, listeners, kept] = await Promise.all([
    sceneOf(target, signal),
    managersOf(target, signal),
    wanted.allowed === undefined ? known([]) : listenersOf(target, wanted.allowed),
    hookOf(wanted) === 'input' ? keptOf(target) : known([]),
  ])
  const stored = wantsStored(wanted) ? await storedOf(target, managers, signal) : known(NO_RULES)
  return present({ scene, stored, managers, listeners, kept })
}

async function sceneOf(target: Machine, signal: AbortSignal): Promise<Reading<Scene>> {
  const ruleset = await target.open(FIREWALL).rules(signal)
  if (ruleset.kind === 'unknown') return ruleset
  const machine = await surroundingsOf(target)
  if (machine.kind === 'unknown') return machine
  const families = familiesOf(target)
  if (families.kind === 'unknown') return families
  return known({ ruleset: ruleset.value, machine: machine.value, families: families.value })
}

/** Without IPv6 the kernel has no such table. */
function familiesOf({ probe }: Pick<Machine, 'probe'>): Reading<readonly AddressFamily[]> {
  return mapReading(probe.readText('/proc/net/if_inet6'), (six) => (six === null ? ['ip'] : ['ip', 'ip6']))
}

async function surroundingsOf({ open }: Machine): Promise<Reading<Surroundings>> {
  const list = await open(INTERFACES).list()
  if (list.kind === 'unknown') return list
  const addresses: Record<AddressFamily, bigint[]> = { ip: [], ip6: [] }
  for (const { kind, addresses: own } of list.value) {
    if (kind === 'loopback') continue
    if (own.kind === 'unknown') return own
    for (const each of own.value) {
      const found = addressNumber(each.split('/')[0] ?? '')
      if (found !== undefined) addresses[found.family].push(found.value)
    }
  }
  return known({ interfaces: list.value.map(({ name }) => name), addresses })
}

/** What the manager that starts with the system loads then; nothing where none does. */
async function storedOf(
  { open }: Machine,
  { enabled }: ManagersObserved,
  signal: AbortSignal,
): Promise<Reading<Ruleset>> {
  if (enabled.kind === 'unknown') return enabled
  const [manager, ...others] = enabled.value
  if (manager === undefined) return known(NO_RULES)
  if (others.length === 0) return open(FIREWALL).stored(manager, signal)
  const names = enabled.value.join(' and ')
  return unknown('not-observable', `${names} load rules at boot and may override each other`)
}

async function listenersOf({ open }: Machine, allowed: readonly string[]): Promise<Reading<readonly Listener[]>> {
  const sockets = open(SOCKETS)
  const listening = portsOf(sockets)
  if (listening.kind === 'unknown') return listening
  const asked = listening.value.filter((socket) => !isAllowed(allowed, socket.protocol, [socket.port, socket.port]))
  return known(await Promise.all(asked.map(async (socket) => listenerOf(socket, await sockets.owner(socket)))))
}

type PortSocket = ListeningSocket & { readonly protocol: 'tcp' | 'udp' }

/** Those about whose ports rules are asked. */
function portsOf(sockets: Sockets): Reading<readonly PortSocket[]> {
  return readLists(['tcp', 'udp'] as const, (protocol) =>
    mapReading(sockets.listening([protocol]), (found) => found.map((socket) => ({ ...socket, protocol }))),
  )
}

/** Every port that others can come to, and those of ssh, also where the listener is not visible. */
async function keptOf(target: Machine): Promise<Reading<readonly KeptPort[]>> {
  const sockets = target.open(SOCKETS)
  const listening = portsOf(sockets)
  if (listening.kind === 'unknown') return listening
  const session = target.open(FIREWALL).session()
  const open = listening.value.filter(({ address }) => !isLoopback(address))
  const found = await Promise.all(
    open.map(async (socket): Promise<KeptPort> => {
      const { protocol, port } = socket
      const isSsh = protocol === 'tcp' && port !== session && isOfSsh(await sockets.owner(socket))
      return { protocol, port, isSsh }
    }),
  )
  const own: readonly KeptPort[] = session === undefined ? [] : [{ protocol: 'tcp', port: session, isSsh: true }]
  return known([...own, ...found.filter(({ protocol, port }) => protocol === 'udp' || port !== session)])
}

function isLoopback(address: string): boolean {
  return /^(?:::ffff:)?127\./.test(address) || address === '::1'
}

type Owner = Awaited<ReturnType<Sockets['owner']>>

/** A listener that cannot be seen may be the one of the current session. */
function isOfSsh(owner: Owner): boolean {
  if (owner.kind === 'unknown') return true
  const { processes, units } = owner.value
  const isUnit = units.kind === 'known' && units.value.some((unit) => /^sshd?[.@-]/.test(unit))
  return isUnit || processes.some(({ command }) => command === 'sshd')
}

function listenerOf(socket: PortSocket, owner: Owner): Listener {
  const { protocol, port, address, takesIpv4, family } = socket
  const programs = owner.kind === 'known' ? owner.value.processes.map(({ command }) => command) : []
  const units = owner.kind === 'known' && owner.value.units.kind === 'known' ? owner.value.units.value : []
  const by = [...new Set(programs)].join(', ') || units.join(', ')
  return {
    protocol,
    port,
    address,
    takes: [...(family === 4 || takesIpv4 !== 'no' ? ['ip' as const] : []), ...(family === 6 ? ['ip6' as const] : [])],
    ...(by === '' ? {} : { by }),
  }
}
