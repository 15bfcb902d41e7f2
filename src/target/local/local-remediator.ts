import type { ApplyOutcome } from '../../core/decision.ts'
import type { Remediator } from '../remediator.ts'
import { setAttributes } from './attributes.ts'
import { createDirectory, createMissingDirectories } from './create-directory.ts'
import type { Journal } from './journal.ts'
import { remove, removeEmptyDirectory } from './remove.ts'
import { runCommand } from './run-command.ts'
import { writeFile } from './write-file.ts'

/**
 * Everything a fix may do to this machine. The journal is the one of the run's fix lock, which lets the next run take
 * away what a killed write left.
 */
export function createLocalRemediator(journal: Journal): Remediator {
  return {
    writeFile: (path, content, attributes) => writeFile(path, content, attributes, journal),
    setAttributes: (path, attributes) => settle(() => setAttributes(path, attributes)),
    createDirectory: (path, attributes) =>
      settle(() =>
        'defaultMode' in attributes
          ? createMissingDirectories(path, attributes)
          : createDirectory(path, attributes, journal),
      ),
    remove,
    removeEmptyDirectory,
    run: runCommand,
  }
}

async function settle(call: () => ApplyOutcome): Promise<ApplyOutcome> {
  return call()
}
