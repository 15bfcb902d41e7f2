import type { Problem } from '../model/problem.ts'
import type { Run } from '../model/run.ts'
import type { RunnablePolicy } from '../policy/runnable/policy.ts'
import type { FixLock } from '../host/live/fix-lock.ts'
import type { DownloadProgress } from '../host/http/progress.ts'
import { type Machine, THIS_MACHINE } from '../host/live/machine.ts'
import { writeFailure } from '../host/live/system-error.ts'
import { openOwedReactions } from '../host/live/owed-reactions.ts'
import type { Target } from '../host/target.ts'
import { listDeadlines } from './rescue/deadline.ts'
import { createBarrier } from './undo/barrier.ts'
import { journalsIn } from './undo/journal.ts'
import { pruneJournals } from './undo/journals.ts'
import { KEEP_UNDO, type KeepUndo } from './undo/keep-undo.ts'
import { type Keeping, openKeeping } from './undo/keeping.ts'
import { leftOf, nextSequence, noteLastFix } from './undo/last-fix.ts'
import { pendingChanges } from './undo/pending.ts'
import type { JournalPolicy } from './undo/step.ts'
import { withFixLock } from './local-lock.ts'
import { notPerformed, runPolicies, type RunOptions } from './run.ts'

const HOW_TO_UNDO = 'to undo this fix, run: driftgate undo'

export interface FixOptions {
  /** Reports download progress. */
  readonly onDownload?: (progress: DownloadProgress) => void
  /** Reports, as a sentence, that the fix is waiting, for example for another package manager process. */
  readonly onWait?: (message: string) => void
  /** Retention of undo data; default `KEEP_UNDO`. False keeps none, not even of this fix. */
  readonly keepUndo?: KeepUndo | false
  /** Directory of journals and the fix lock; default: that of the current user. */
  readonly stateDirectory?: string
}

export interface LocalFix extends RunOptions, FixOptions {
  readonly problems: readonly Problem[]
}

/** Fixes drift on the machine of a target, one fix at a time, with a backup of the replaced state. */
export async function fixMachine(
  list: readonly RunnablePolicy[],
  { problems, onDownload, onWait, keepUndo = KEEP_UNDO, stateDirectory, ...shared }: LocalFix,
): Promise<Run> {
  const { target } = shared
  const refuse = (message: string): Run => notPerformed(target, 'fix', [...problems, { message, severity: 'error' }])
  const found = await machineOf(target)
  if (found.kind === 'refused') return refuse(found.message)
  const { machine } = found
  const outcome = await withFixLock(
    machine,
    async (lock) => {
      const directory = journalsIn(lock.directory)
      const sequence = nextSequence(lock.directory)
      const waiting = listDeadlines(lock.directory).map(({ run }) => run)
      const pending = pendingChanges(lock.directory, waiting)
      const before = new Set(describeRecoveries(lock).map(({ message }) => message))
      let keeping: Keeping | undefined
      const barrier = createBarrier()
      const journal = { ...lock.journal, beforeReplacing: barrier.pass }
      const fixed = await runPolicies(list, {
        ...shared,
        owed: openOwedReactions(lock.directory),
        remediator: machine.openRemediator(journal, {
          ...(onDownload && { download: { onProgress: onDownload } }),
          ...(onWait && { packages: { onWait } }),
        }),
        ...(keepUndo !== false && {
          openKeeping: (start) => {
            keeping = openKeeping({
              machine,
              directory,
              start,
              sequence,
              pending,
              barrier,
              policies: list.map(journalPolicy),
              ...shared,
            })
            return keeping
          },
        }),
        problems: [...problems, ...describeRecoveries(lock)],
      })
      const swept = describeRecoveries(lock).filter(({ message }) => !before.has(message))
      const trouble = keeping?.trouble()
      const late = [...swept, ...(trouble === undefined ? [] : [{ message: trouble, severity: 'warning' } as const])]
      const whole = late.length === 0 ? fixed : { ...fixed, problems: [...(fixed.problems ?? []), ...late] }
      return withStateNoted(whole, { sequence, stateDirectory: lock.directory, keepUndo })
    },
    { stateDirectory },
  )
  return outcome.kind === 'done' ? outcome.value : refuse(outcome.message)
}

interface FixState extends Required<Pick<FixOptions, 'keepUndo'>> {
  readonly sequence: number
  readonly stateDirectory: string
}

/** Records the undo state and prunes old journals. A failure must not withhold the report. */
function withStateNoted(fixed: Run, { sequence, stateDirectory, keepUndo }: FixState): Run {
  const directory = journalsIn(stateDirectory)
  const run = fixed.run.id
  try {
    const left = keepUndo === false ? 'not-kept' : leftOf(directory, run)
    noteLastFix(stateDirectory, { run, sequence, left })
    if (keepUndo !== false) {
      const except = new Set([run, ...listDeadlines(stateDirectory).map((deadline) => deadline.run)])
      pruneJournals(directory, { keep: keepUndo, except, now: Date.now() })
    }
    return left === 'journal' ? { ...fixed, notes: [...(fixed.notes ?? []), HOW_TO_UNDO] } : fixed
  } catch (error) {
    const { message } = writeFailure(error, `cannot record the changes of this fix in ${stateDirectory}`)
    return { ...fixed, problems: [...(fixed.problems ?? []), { message, severity: 'warning' }] }
  }
}

type FoundMachine =
  { readonly kind: 'opened'; readonly machine: Machine } | { readonly kind: 'refused'; readonly message: string }

async function machineOf({ kind, path }: Target): Promise<FoundMachine> {
  if (kind === 'local') return { kind: 'opened', machine: THIS_MACHINE }
  if (kind !== 'root' || path === undefined) {
    return { kind: 'refused', message: `a target of the kind "${kind}" is read-only: nothing can be fixed there` }
  }
  // Loaded only for a root directory.
  const { openRootedMachine } = await import('../host/root/rooted-machine.ts')
  return openRootedMachine(path)
}

function journalPolicy({ id, source, sha256 }: RunnablePolicy): JournalPolicy {
  return { id, source, sha256 }
}

function describeRecoveries({ recovered, notRecovered }: FixLock): readonly Problem[] {
  const removed = recovered.map((path) => `removed ${path}, left by an earlier fix that was killed`)
  return [...removed, ...notRecovered].map((message) => ({ message, severity: 'warning' }))
}
