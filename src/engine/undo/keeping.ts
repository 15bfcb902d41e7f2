import { join } from 'node:path'
import { defined } from '../../model/defined.ts'
import type { RunStart } from '../../model/run.ts'
import type { Machine } from '../../host/live/machine.ts'
import { writeFailure } from '../../host/live/system-error.ts'
import type { Remediator } from '../../host/remediator.ts'
import type { Barrier } from './barrier.ts'
import { startJournal } from './journal.ts'
import type { PendingChanges } from './pending.ts'
import { createRecorder, type Recorder } from './recorder.ts'
import { keepingRemediator } from './remediator.ts'
import { JOURNAL_SCHEMA, type JournalHead, type StepOwner } from './step.ts'

/** Backs up the state that a fix replaces. */
export interface Keeping {
  readonly recorder: Recorder
  /** Wraps a remediator for one resource with a backup of replaced state. */
  readonly remediatorFor: (inner: Remediator, owner: StepOwner) => Remediator
  /** Closes the journal; idempotent. */
  readonly close: () => void
  /** Error when closing the journal: the fix can then be undone like an interrupted one. */
  readonly trouble: () => string | undefined
}

export interface KeepingOptions extends Pick<JournalHead, 'policies' | 'undoes' | 'sequence'> {
  readonly machine: Machine
  /** Journal directory. */
  readonly directory: string
  readonly start: RunStart
  /** Barrier at which the remediator waits before a replacement. */
  readonly barrier: Barrier
  readonly signal?: AbortSignal
  /** Paths that must not be changed now. */
  readonly pending: PendingChanges
}

/** Opens the backup. Nothing is written before the first change. */
export function openKeeping({
  machine,
  directory,
  start,
  policies,
  sequence,
  barrier,
  ...options
}: KeepingOptions): Keeping {
  const { undoes, pending, signal = new AbortController().signal } = options
  const { id: run, startedAt } = start.run
  const head: JournalHead = {
    schema: JOURNAL_SCHEMA,
    run,
    startedAt,
    sequence,
    policies,
    ...defined({ undoes, root: machine.below }),
  }
  const journal = startJournal(join(directory, run), head)
  // A separate target: cached observations of the fix are dropped at other times.
  const target = machine.openTarget()
  const recorder = createRecorder({ journal, target, root: machine.root, barrier, pending, signal })
  let trouble: string | undefined
  return {
    recorder,
    remediatorFor: (inner, owner) => keepingRemediator({ inner, recorder, target, owner }),
    close() {
      try {
        journal.close(!signal.aborted)
      } catch (error) {
        trouble = writeFailure(error, 'cannot close the journal of the fix').message
      }
    },
    trouble: () => trouble,
  }
}
