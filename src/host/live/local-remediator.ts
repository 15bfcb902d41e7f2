import type { TransferOptions } from '../http/transfer.ts'
import type { Remediator, WritableSubject, WriterOptions } from '../remediator.ts'
import { openSubjects } from '../subject.ts'
import { createFileWriters } from './file-writers.ts'
import type { Journal } from './journal.ts'
import { runCommand } from './run-command.ts'
import { onThisMachine } from './site.ts'

export interface RemediatorOptions extends WriterOptions {
  /** Options of downloads; `onProgress` reports their progress. */
  readonly download?: TransferOptions
}

/**
 * Remediator of this machine. The journal belongs to the run's fix lock, so that the next run can clean up after a
 * killed write.
 */
export function createLocalRemediator(journal: Journal, options: RemediatorOptions = {}): Remediator {
  const subjects = openSubjects((subject: WritableSubject<object>) => subject.write.live(journal, options))
  return {
    open: subjects.open as Remediator['open'],
    ...createFileWriters(onThisMachine(journal), options.download),
    run: runCommand,
  }
}
