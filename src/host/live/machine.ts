import type { Remediator } from '../remediator.ts'
import type { Target } from '../target.ts'
import type { Journal } from './journal.ts'
import { createLocalRemediator, type RemediatorOptions } from './local-remediator.ts'
import { createLocalTarget } from './local-target.ts'
import { openRoot } from './place.ts'
import type { RootIdentity } from '../root/identity.ts'
import type { OpenRoot } from './site.ts'

/** Something that can be fixed from here: this machine, or a system that does not run and lies below a directory. */
export interface Machine {
  /** Where its paths begin. */
  readonly root: OpenRoot
  /** What the directory is recognised by; absent for this machine. */
  readonly below?: RootIdentity
  /** A private look at it. */
  readonly openTarget: () => Target
  readonly openRemediator: (journal: Journal, options?: RemediatorOptions) => Remediator
}

/** The machine this process runs on. */
export const THIS_MACHINE: Machine = {
  root: openRoot,
  openTarget: () => createLocalTarget(),
  openRemediator: createLocalRemediator,
}
