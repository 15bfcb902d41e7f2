import type { Target } from '../target.ts'
import type { Machine } from '../live/machine.ts'
import { directorySource } from './directory-source.ts'
import { openRootedFiles } from './files.ts'
import { identifyRoot } from './identity.ts'
import { openRootPlace } from './root-place.ts'
import { openRootedTarget } from './open-root.ts'
import type { RemediatorOptions } from '../live/local-remediator.ts'
import type { Remediator, WritableSubject } from '../remediator.ts'
import { openSubjects } from '../subject.ts'
import { createFileWriters } from '../live/file-writers.ts'
import type { MachineFiles } from '../live/machine-files.ts'
import type { Site } from '../live/site.ts'
import { NOTHING_IS_RUN } from '../offline.ts'

/** A fixable system below a directory, or why it was refused. */
export type RootedMachine =
  { readonly kind: 'opened'; readonly machine: Machine } | { readonly kind: 'refused'; readonly message: string }

/** Opens the system below a root directory for a fix or an undo. */
export function openRootedMachine(directory: string): RootedMachine {
  const opened = openRootedTarget(directory)
  if (opened.kind === 'refused') return opened
  const { path = directory, system } = opened.target
  const root = (): ReturnType<typeof openRootPlace> => openRootPlace(path)
  const { bulk } = openRootedFiles(directorySource(path), opened.target.names)
  const machine: Machine = {
    root,
    below: identifyRoot(path, system.identity),
    openTarget: () => reopenTarget(path),
    openRemediator: (journal, options) => createRootedRemediator({ root, journal }, bulk, options),
  }
  return { kind: 'opened', machine }
}

/** Throws an `Error` if the directory no longer exists. */
function reopenTarget(path: string): Target {
  const opened = openRootedTarget(path)
  if (opened.kind === 'refused') throw new Error(opened.message)
  return opened.target
}

/** Remediator of the system below a root directory: changes its files without running a program. */
function createRootedRemediator(site: Site, files: MachineFiles, { download }: RemediatorOptions = {}): Remediator {
  const subjects = openSubjects((subject: WritableSubject<object>) => subject.write.atRest(site, files))
  return {
    ...createFileWriters(site, download),
    runsNothing: NOTHING_IS_RUN,
    open: subjects.open as Remediator['open'],
    run: ({ argv: [program] }) =>
      Promise.resolve({ kind: 'not-started', message: `${program} is not run: ${NOTHING_IS_RUN}` }),
  }
}
