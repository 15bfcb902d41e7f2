import { isLeft, type UndoneItem } from './put-back.ts'
import type { StepOwner } from './step.ts'

/** What taking back came to for one resource. */
export interface TakenBack {
  readonly owner: StepOwner
  /** Each thing that it changed, in the order in which they were put back. */
  readonly things: readonly UndoneItem[]
  /** The commands that took something back. */
  readonly commands: readonly string[]
  /** What has to be done by hand: no thing could be looked at for it. */
  readonly byHand: readonly string[]
  readonly warnings: readonly string[]
}

/** What has come of a resource of which no step was taken back yet. */
export function emptyResult(owner: StepOwner): TakenBack {
  return { owner, things: [], commands: [], byHand: [], warnings: [] }
}

/** Whether anything was put back for a resource. */
export function isBack({ things, commands }: TakenBack): boolean {
  return commands.length > 0 || things.some(({ outcome }) => outcome === 'restored')
}

/** How much of a resource is not as it was before. */
export function countUndone({ things, byHand }: TakenBack): number {
  return byHand.length + things.filter(isLeft).length
}
