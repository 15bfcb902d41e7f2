import type { SystemProbe } from '../probe.ts'
import type { Target } from '../target.ts'
import { openInterfaces } from './interfaces.ts'
import { openProcesses } from './processes/processes.ts'
import { openSockets } from './sockets/sockets.ts'
import { readSocketUnits } from './systemd/socket-units.ts'

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
