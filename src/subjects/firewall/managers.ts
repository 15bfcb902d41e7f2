import { known, type Reading } from '../../model/observation.ts'
import { FIREWALL_MANAGERS, type FirewallManager } from './firewall.ts'
import type { ServiceStatus } from '../services/services.ts'
import type { Target } from '../../host/target.ts'
import { ALL_FIREWALL_UNITS, FIREWALL_UNITS } from '../../settings/firewall-units.ts'
import { isUfwOn } from '../../settings/ufw.ts'
import { SERVICES } from '../services/subject.ts'

/** Managers that are at work, and those that will be after the next start. */
export interface ManagersObserved {
  readonly running: Reading<readonly FirewallManager[]>
  readonly enabled: Reading<readonly FirewallManager[]>
}

type Machine = Pick<Target, 'open' | 'probe'>

/** Asks for the units of all of them. */
export async function managersOf(machine: Machine, signal: AbortSignal): Promise<ManagersObserved> {
  machine.open(SERVICES).announce(ALL_FIREWALL_UNITS)
  return {
    running: await findManagers('running', machine, signal),
    enabled: await findManagers('enabled', machine, signal),
  }
}

const STARTING: ReadonlySet<string> = new Set(['enabled', 'alias', 'linked', 'static', 'indirect', 'generated'])

async function findManagers(
  half: keyof ManagersObserved,
  { open, probe }: Machine,
  signal: AbortSignal,
): Promise<Reading<readonly FirewallManager[]>> {
  const found: FirewallManager[] = []
  for (const name of FIREWALL_MANAGERS) {
    for (const unit of FIREWALL_UNITS[name]) {
      const status = await open(SERVICES).status(unit, signal)
      if (status.kind === 'unknown') return status
      if (status.kind === 'absent') continue
      const isSo = half === 'running' ? isRunning(status.state) : isEnabled(status.state)
      if (isSo.kind === 'unknown') return isSo
      if (isSo.value) found.push(name)
    }
  }
  if (!found.includes('ufw')) return known([...new Set(found)])
  const isOn = isUfwOn(probe.readText)
  return isOn.kind === 'unknown' ? isOn : known([...new Set(found)].filter((name) => name !== 'ufw' || isOn.value))
}

function isRunning({ runtime }: ServiceStatus): Reading<boolean> {
  return runtime.kind === 'unknown' ? runtime : known(runtime.value.activeState === 'active')
}

function isEnabled({ enablement }: ServiceStatus): Reading<boolean> {
  if (enablement.kind === 'unknown') return enablement
  const { state, unsettled, idle } = enablement.value
  if (!STARTING.has(state) || idle !== undefined) return known(false)
  return unsettled ?? known(true)
}
