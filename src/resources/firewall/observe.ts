import { known, type Observation, present, type Reading } from '../../core/observation.ts'
import { addressNumber } from '../../target/firewall/addresses.ts'
import type { Surroundings } from '../../target/firewall/question.ts'
import type { AddressFamily } from '../../target/firewall/packets.ts'
import type { ListeningSocket } from '../../target/sockets.ts'
import type { Target } from '../../target/target.ts'
import type { FirewallState, Scene } from './decide.ts'
import { MANAGER_UNITS, MANAGERS, type ManagerState } from './managers.ts'
import { type FirewallWanted, isAllowed, type Listener } from './wanted.ts'

type Machine = Pick<Target, 'firewall' | 'interfaces' | 'sockets' | 'services' | 'probe'>

/** Looks at the rules of the kernel, at what keeps them, and at who listens. */
export async function observeFirewall(
  target: Machine,
  wanted: FirewallWanted,
  { signal }: { readonly signal: AbortSignal },
): Promise<Observation<FirewallState>> {
  const [scene, managers, listeners] = await Promise.all([
    sceneOf(target, signal),
    wanted.manager === undefined ? known([]) : managersOf(target, signal),
    wanted.allowed === undefined ? known([]) : listenersOf(target, wanted.allowed),
  ])
  return present({ scene, managers, listeners })
}

async function sceneOf(target: Machine, signal: AbortSignal): Promise<Reading<Scene>> {
  const ruleset = await target.firewall.rules(signal)
  if (ruleset.kind === 'unknown') return ruleset
  const machine = await surroundingsOf(target)
  if (machine.kind === 'unknown') return machine
  const families = familiesOf(target)
  if (families.kind === 'unknown') return families
  return known({ ruleset: ruleset.value, machine: machine.value, families: families.value })
}

/** Without IPv6 the kernel has no such table. */
function familiesOf({ probe }: Pick<Machine, 'probe'>): Reading<readonly AddressFamily[]> {
  const six = probe.readText('/proc/net/if_inet6')
  if (six.kind === 'unknown') return six
  return known(six.value === null ? ['ip'] : ['ip', 'ip6'])
}

async function surroundingsOf({ interfaces }: Pick<Machine, 'interfaces'>): Promise<Reading<Surroundings>> {
  const list = await interfaces.list()
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

async function managersOf(
  { services, probe }: Pick<Machine, 'services' | 'probe'>,
  signal: AbortSignal,
): Promise<Reading<readonly ManagerState[]>> {
  services.announce(Object.values(MANAGER_UNITS).flat())
  const states: ManagerState[] = []
  for (const name of MANAGERS) {
    let [isRunning, isEnabled] = [false, false]
    for (const unit of MANAGER_UNITS[name]) {
      const status = await services.status(unit, signal)
      if (status.kind === 'unknown') return status
      if (status.kind === 'absent') continue
      const { runtime, enablement } = status.state
      if (runtime.kind === 'unknown') return runtime
      if (enablement.kind === 'unknown') return enablement
      isRunning ||= runtime.value.activeState === 'active'
      isEnabled ||= STARTING.has(enablement.value.state)
    }
    if (name === 'ufw' && (isRunning || isEnabled)) {
      const setting = probe.readText('/etc/ufw/ufw.conf')
      if (setting.kind === 'unknown') return setting
      // Its unit runs, and does nothing, where this is not said.
      const isOn = /^ENABLED=["']?yes["']?\s*$/im.test(setting.value ?? '')
      states.push({ name, isRunning: isRunning && isOn, isEnabled: isEnabled && isOn })
    } else states.push({ name, isRunning, isEnabled })
  }
  return known(states)
}

const STARTING: ReadonlySet<string> = new Set(['enabled', 'alias', 'linked', 'static', 'indirect', 'generated'])

async function listenersOf(
  { sockets }: Pick<Machine, 'sockets'>,
  allowed: readonly string[],
): Promise<Reading<readonly Listener[]>> {
  const listening = sockets.listening()
  if (listening.kind === 'unknown') return listening
  const asked = listening.value.filter((socket) => !isAllowed(allowed, socket.protocol, socket.port))
  return known(await Promise.all(asked.map(async (socket) => listenerOf(socket, await sockets.owner(socket)))))
}

function listenerOf(socket: ListeningSocket, owner: Awaited<ReturnType<Target['sockets']['owner']>>): Listener {
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
