import type { SystemProbe } from '../../../host/probe.ts'
import type { Target } from '../../../host/target.ts'
import { openInterfaces } from '../../network/live/interfaces.ts'
import { openProcesses } from './processes.ts'
import { openSockets } from '../../sockets/live/sockets.ts'
import { readSocketUnits } from '../../services/systemd/socket-units.ts'

/** What only a running system has: processes, their sockets and the network. */
export function openRunning(
  probe: SystemProbe,
): Pick<Target, 'processes' | 'sockets' | 'interfaces'> & { readonly forget: () => void } {
  const processes = openProcesses()
  const sockets = openSockets({ probe, processes, units: readSocketUnits })
  const interfaces = openInterfaces({ probe })
  return {
    processes,
    sockets,
    interfaces,
    forget() {
      for (const reader of [processes, sockets, interfaces]) reader.forget()
    },
  }
}
