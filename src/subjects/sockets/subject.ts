import { known } from '../../model/observation.ts'
import { needsRunningSystem } from '../../host/offline.ts'
import type { ReadableSubject } from '../../host/target.ts'
import { PROCESSES } from '../processes/subject.ts'
import { readSocketUnits } from '../services/systemd/socket-units.ts'
import { openSockets } from './live/sockets.ts'
import type { Sockets } from './sockets.ts'

/** Listening sockets, from /proc/net and the socket units of systemd. */
export const SOCKETS: ReadableSubject<Sockets> = {
  name: 'sockets',
  read: {
    live: (host) => openSockets({ probe: host.probe, processes: host.open(PROCESSES), units: readSocketUnits }),
    atRest: () => ({
      listening: () => needsRunningSystem('sockets'),
      owner: async () => needsRunningSystem('sockets'),
    }),
    answering: (sockets, { read, now }) => ({
      listening: (protocols) => now('sockets', () => sockets.listening(protocols), []),
      // A kernel socket.
      owner: async (socket) => read('sockets', () => sockets.owner(socket), { processes: [], units: known([]) }),
    }),
  },
}
