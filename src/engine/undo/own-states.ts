import type { WrittenJournal } from './read-journal.ts'
import { isSame, type UndoItem } from './step.ts'

/** States produced by interrupted undos of a fix, which do not count as later changes. */
export interface OwnStates {
  /** True for a state that such an undo has left, or may have left within a step. */
  readonly includes: (thing: Pick<UndoItem, 'kind' | 'name'>, now: unknown) => boolean
}

/** Collects the states from the journals of these undos. */
export function ownStatesOf(interrupted: readonly WrittenJournal[]): OwnStates {
  const found = interrupted.flatMap(({ steps }) =>
    steps.flatMap(({ things, isOver }) => things.map((thing) => ({ thing, isOver }))),
  )
  return {
    includes: ({ kind, name }, now) =>
      found.some(
        ({ thing, isOver }) =>
          thing.kind === kind &&
          thing.name === name &&
          (!isOver || isSame(thing.after, now) || isSame(thing.before, now)),
      ),
  }
}
