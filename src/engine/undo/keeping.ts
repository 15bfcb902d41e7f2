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

/** Keeps what a fix replaces. */
export interface Keeping {
  readonly recorder: Recorder
  /** Does what the remediator does, for one resource, and keeps what that replaces. */
  readonly remediatorFor: (inner: Remediator, owner: StepOwner) => Remediator
  /** Ends the journal. Once is enough. */
  readonly close: () => void
  /** What could not be written of the journal when it was ended: the fix can be undone as one that was killed can. */
  readonly trouble: () => string | undefined
}

/** The fix for which something is kept. */
export interface KeepingOptions extends Pick<JournalHead, 'policies' | 'undoes' | 'sequence'> {
  readonly machine: Machine
  /** Where the journals are. */
  readonly directory: string
  readonly start: RunStart
  /** The one at which the remediator waits before it replaces something. */
  readonly barrier: Barrier
  readonly signal?: AbortSignal
  /** What must not be changed now. */
  readonly pending: PendingChanges
}

/** Starts to keep. Nothing is written before the first change. */
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
  // One of its own: what a fix has read and kept in mind is dropped at other times.
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
        trouble = writeFailure(error, 'cannot end the journal of the fix').message
      }
    },
    trouble: () => trouble,
  }
}
