import type { Target } from '../target.ts'
import type { Machine } from '../live/machine.ts'
import { directorySource } from './directory-source.ts'
import { openRootedFiles } from './files.ts'
import { identifyRoot } from './identity.ts'
import { openRootPlace } from './root-place.ts'
import { openRootedTarget } from './open-root.ts'
import { createRootedRemediator } from './rooted-remediator.ts'

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
