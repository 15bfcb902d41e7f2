import { listDeadlines, setDeadline } from './deadline.ts'
import { isWatching, startWatcher, watchCommand } from './watcher.ts'

/**
 * Restarts the watchers of unconfirmed fixes that are gone, for example after a kill or a reboot; returns the runs of
 * these fixes. Throws an `OperatorError` if systemd refuses, and the system's error.
 */
export async function reviveWatchers(
  stateDirectory: string,
  program: readonly [string, ...string[]],
): Promise<readonly string[]> {
  const revived: string[] = []
  for (const deadline of listDeadlines(stateDirectory)) {
    const { run, watcher } = deadline
    if (watcher === undefined || (await isWatching(run, watcher))) continue
    const started = await startWatcher(run, watchCommand(program, { run, stateDirectory }))
    setDeadline(stateDirectory, { ...deadline, watcher: started })
    revived.push(run)
  }
  return revived
}
