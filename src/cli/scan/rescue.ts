import { defined } from '../../model/defined.ts'
import { escapeForTerminal } from '../../model/escape.ts'
import { EXIT } from '../../model/gate.ts'
import { OperatorError } from '../../model/operator-error.ts'
import type { Run, RunStart } from '../../model/run.ts'
import { systemReason } from '../../model/system-reason.ts'
import { undo } from '../../engine/undo.ts'
import { type Deadline, endOf, removeDeadline, setDeadline, type Watcher } from '../../engine/rescue/deadline.ts'
import { removeWatcher, startWatcher, watchCommand } from '../../engine/rescue/watcher.ts'
import { runCommand } from '../../host/live/run-command.ts'
import { prepareStateDirectory } from '../../host/live/state-directory.ts'
import { findJournal } from '../../engine/undo/find-journal.ts'
import { readAllJournals, type StoredJournal } from '../../engine/undo/journals.ts'
import type { Io } from '../output/io.ts'
import { programOf } from '../program.ts'

/** Lockout protection of a fix. */
export interface RescueWishes {
  /** The fix is undone unless it is confirmed within this time. */
  readonly withinMs?: number
  /** Shell commands that must succeed after the fix, otherwise it is undone at once. */
  readonly probes: readonly string[]
  /** State directory of fixes; default: the regular one. */
  readonly stateDirectory?: string
}

/** Protection of one fix. */
export interface Rescue {
  /** Called at the start of a fix, before any change. Throws an `OperatorError` if it cannot be protected. */
  readonly arm: (start: RunStart) => Promise<void>
  /** Adds the outcome to a finished fix: pending confirmation, or undone. */
  readonly settle: (run: Run) => Promise<Run>
}

const PROBE_TIMEOUT_MS = 60_000

const SLOWEST_BEAT_MS = 10_000

/** Creates the protection; it reports its actions. */
export function createRescue({ withinMs, probes, stateDirectory }: RescueWishes, io: Io): Rescue {
  const directory = preparedState(stateDirectory)
  let watcher: Watcher | undefined
  let beat: NodeJS.Timeout | undefined
  const disarm = async (run: string): Promise<void> => {
    removeDeadline(directory, run)
    await removeWatcher(run, { isOwn: false })
  }
  return {
    async arm({ run: { id } }) {
      if (withinMs === undefined) return
      try {
        // Also reverts a fix that ends with the connection that started it.
        setDeadline(directory, { run: id, withinMs })
        watcher = await startWatcher(id, watchCommand(programOf(), { run: id, stateDirectory: directory }))
        const deadline = { run: id, withinMs, watcher }
        setDeadline(directory, deadline)
        beat = setInterval(() => postpone(directory, deadline), beatMs(withinMs)).unref()
      } catch (error) {
        removeDeadline(directory, id)
        if (error instanceof OperatorError) throw error
        throw new OperatorError(`nothing was fixed: cannot schedule the revert: ${systemReason(error)}`)
      }
    },
    async settle(run) {
      clearInterval(beat)
      const { id } = run.run
      const journal = findJournal(readAllJournals([directory]).journals, id)
      // A fix without changes needs no confirmation.
      if (typeof journal === 'string') {
        await disarm(id)
        return run
      }
      const failure = await firstFailure(probes)
      if (failure !== undefined) {
        io.say(`driftgate: ${escapeForTerminal(failure)}; reverting the fix\n`)
        await disarm(id)
        return takenBack(run, failure, { journal, stateDirectory })
      }
      if (withinMs === undefined) return run
      const set = setDeadline(directory, { run: id, withinMs, ...defined({ watcher }) })
      return { ...run, notes: [...(run.notes ?? []), noteOf(set)] }
    },
  }
}

/** Often enough to tolerate a missed update. */
function beatMs(withinMs: number): number {
  return Math.min(withinMs / 4, SLOWEST_BEAT_MS)
}

/** The deadline starts after the fix, and after the last prompt. */
function postpone(directory: string, deadline: Omit<Deadline, 'setAt'>): void {
  try {
    setDeadline(directory, deadline)
  } catch {
    // The earlier deadline stays, so the fix is undone sooner rather than never.
  }
}

function noteOf(deadline: Deadline): string {
  const { run, watcher } = deadline
  const reboot = watcher?.kind === 'service' ? 'also after a reboot' : 'but not after a reboot'
  return `this fix is reverted at ${endOf(deadline)} (${reboot}) unless you run "driftgate confirm ${run}"`
}

function preparedState(named: string | undefined): string {
  const prepared = prepareStateDirectory(named)
  if (prepared.kind === 'failed') throw new OperatorError(prepared.message)
  return prepared.path
}

/** Description of the first failed probe; undefined if all succeed. */
async function firstFailure(probes: readonly string[]): Promise<string | undefined> {
  for (const probe of probes) {
    const outcome = await runCommand({
      argv: ['/bin/sh', '-c', probe],
      workingDirectory: '/',
      timeoutMs: PROBE_TIMEOUT_MS,
      signal: new AbortController().signal,
    })
    if (outcome.kind === 'exited' && outcome.exitCode === 0) continue
    const how =
      outcome.kind === 'exited'
        ? `exited with ${outcome.exitCode}`
        : outcome.kind === 'killed'
          ? outcome.reason
          : outcome.message
    return `the probe "${probe}" ${how}`
  }
  return undefined
}

async function takenBack(
  run: Run,
  failure: string,
  { journal, stateDirectory }: { readonly journal: StoredJournal; readonly stateDirectory: string | undefined },
): Promise<Run> {
  const undone = await undo(journal, defined({ stateDirectory }))
  const problems = undone.run.policies.flatMap(({ resources }) =>
    resources.flatMap(({ verdict, id, message }) => (verdict === 'fix-failed' ? [`${id}: ${message}`] : [])),
  )
  const said = problems.length === 0 ? 'the fix was reverted' : `not reverted: ${problems.join('; ')}`
  const reasons = [`${failure}; ${said}`, ...run.exit.reasons]
  return { ...run, exit: { code: EXIT.fixFailed, reasons }, notes: [`${failure}; ${said}`] }
}
