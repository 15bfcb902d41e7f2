import { isLeft, type UndoneItem } from './put-back.ts'
import type { StepOwner } from './step.ts'

/** Outcome of an undo for one resource. */
export interface TakenBack {
  readonly owner: StepOwner
  /** Changed items, in the order of their restore. */
  readonly things: readonly UndoneItem[]
  /** Commands run by the undo. */
  readonly commands: readonly string[]
  /** Manual steps: no handler exists for these changes. */
  readonly byHand: readonly string[]
  readonly warnings: readonly string[]
}

/** Initial outcome of a resource. */
export function emptyResult(owner: StepOwner): TakenBack {
  return { owner, things: [], commands: [], byHand: [], warnings: [] }
}

/** True if anything was restored for a resource. */
export function isBack({ things, commands }: TakenBack): boolean {
  return commands.length > 0 || things.some(({ outcome }) => outcome === 'restored')
}

/** Number of items of a resource that were not restored. */
export function countUndone({ things, byHand }: TakenBack): number {
  return byHand.length + things.filter(isLeft).length
}
