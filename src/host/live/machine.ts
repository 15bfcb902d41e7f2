import type { Remediator } from '../remediator.ts'
import type { Target } from '../target.ts'
import type { Journal } from './journal.ts'
import { createLocalRemediator, type RemediatorOptions } from './local-remediator.ts'
import { createLocalTarget } from './local-target.ts'
import { openRoot } from './place.ts'
import type { RootIdentity } from '../root/identity.ts'
import type { OpenRoot } from './site.ts'

/** A machine that can be fixed from here: this one, or an offline system below a directory. */
export interface Machine {
  /** Root of its paths. */
  readonly root: OpenRoot
  /** Identity of the directory; undefined for this machine. */
  readonly below?: RootIdentity
  /** Opens a target with its own cache. */
  readonly openTarget: () => Target
  readonly openRemediator: (journal: Journal, options?: RemediatorOptions) => Remediator
}

/** The machine that this process runs on. */
export const THIS_MACHINE: Machine = {
  root: openRoot,
  openTarget: () => createLocalTarget(),
  openRemediator: createLocalRemediator,
}
