import { reviveWatchers } from '../../engine/rescue/revive.ts'
import { programOf } from '../program.ts'
import type { Io } from './io.ts'

/** Restarts and reports missing watchers of unconfirmed fixes. Throws an `OperatorError` if systemd refuses. */
export async function noticeWatchers(stateDirectories: readonly string[], io: Pick<Io, 'say'>): Promise<void> {
  for (const directory of stateDirectories) {
    for (const run of await reviveWatchers(directory, programOf())) {
      io.say(`driftgate: what waits for the fix ${run} to be confirmed was gone and is started again\n`)
    }
  }
}
