import type { Reading } from '../../../model/observation.ts'
import type { BeyondMode } from '../../../host/access.ts'
import type { AccountNames } from '../../shared/lists.ts'
import type { ObservedStep } from '../way.ts'

/** What was seen of who may do more than owner, group and mode say. */
export interface ObservedAccess {
  /** Undefined where the mode proves that there is nothing in it, or it was not asked. */
  readonly beyond: Reading<BeyondMode> | undefined
  readonly way: Reading<readonly ObservedStep[]>
  readonly names: AccountNames
}

/** Stands for what no user could change: a path through directories of root alone, and a mode that leaves nothing open. */
export const NOTHING_SEEN: ObservedAccess = {
  beyond: undefined,
  way: { kind: 'known', value: [] },
  names: { users: new Map(), groups: new Map() },
}
