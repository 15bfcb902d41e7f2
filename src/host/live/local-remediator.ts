import type { TransferOptions } from '../http/transfer.ts'
import type { Remediator, WritableSubject, WriterOptions } from '../remediator.ts'
import { openSubjects } from '../subject.ts'
import { createFileWriters } from './file-writers.ts'
import type { Journal } from './journal.ts'
import { runCommand } from './run-command.ts'
import { onThisMachine } from './site.ts'

/** How a machine is changed. */
export interface RemediatorOptions extends WriterOptions {
  /** How downloads are done; `onProgress` tells how far they have come. */
  readonly download?: TransferOptions
}

/**
 * Everything a fix may do to this machine. The journal is the one of the run's fix lock, which lets the next run take
 * away what a killed write left.
 */
export function createLocalRemediator(journal: Journal, options: RemediatorOptions = {}): Remediator {
  const subjects = openSubjects((subject: WritableSubject<object>) => subject.write.live(journal, options))
  return {
    open: subjects.open as Remediator['open'],
    ...createFileWriters(onThisMachine(journal), options.download),
    run: runCommand,
  }
}
