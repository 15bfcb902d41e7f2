import { reviveWatchers } from '../../engine/rescue/revive.ts'
import { programOf } from '../program.ts'
import type { Io } from './io.ts'

/** Restarts and reports missing watchers of unconfirmed fixes. Throws an `OperatorError` if systemd refuses. */
export async function noticeWatchers(stateDirectories: readonly string[], io: Pick<Io, 'say'>): Promise<void> {
  for (const directory of stateDirectories) {
    for (const run of await reviveWatchers(directory, programOf())) {
      io.say(`driftgate: restarted the revert timer of fix ${run}, which was not running\n`)
    }
  }
}
