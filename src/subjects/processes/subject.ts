import { needsRunningSystem } from '../../host/offline.ts'
import type { ReadableSubject } from '../../host/target.ts'
import { openProcesses } from './live/processes.ts'
import type { Processes } from './processes.ts'

/** Processes, from /proc. */
export const PROCESSES: ReadableSubject<Processes> = {
  name: 'processes',
  read: {
    live: () => openProcesses(),
    atRest: () => ({ list: () => needsRunningSystem('processes') }),
    answering: (processes, { now }) => ({
      list: () => now('processes', () => processes.list(), { processes: [] }),
    }),
  },
}
