import { listDeadlines, setDeadline } from './deadline.ts'
import { isWatching, startWatcher, watchCommand } from './watcher.ts'

/**
 * Starts the watchers of unconfirmed fixes again that are gone, such as processes that were killed or ended with the system. The runs of
 * these fixes. Throws an `OperatorError` where systemd refuses, and the system's error.
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
