import type { RemediatorOptions } from '../live/local-remediator.ts'
import type { Remediator, WritableSubject } from '../remediator.ts'
import { openSubjects } from '../subject.ts'
import { createFileWriters } from '../live/file-writers.ts'
import type { MachineFiles } from '../live/machine-files.ts'
import type { Site } from '../live/site.ts'
import { NOTHING_IS_RUN } from '../offline.ts'

/** Remediator of the system below a root directory: changes its files without running a program. */
export function createRootedRemediator(
  site: Site,
  files: MachineFiles,
  { download }: RemediatorOptions = {},
): Remediator {
  const subjects = openSubjects((subject: WritableSubject<object>) => subject.write.atRest(site, files))
  return {
    ...createFileWriters(site, download),
    runsNothing: NOTHING_IS_RUN,
    open: subjects.open as Remediator['open'],
    run: ({ argv: [program] }) =>
      Promise.resolve({ kind: 'not-started', message: `${program} is not run: ${NOTHING_IS_RUN}` }),
  }
}
