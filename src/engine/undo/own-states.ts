import type { WrittenJournal } from './read-journal.ts'
import { isSame, type UndoItem } from './step.ts'

/** What interrupted undos of a fix have made of things: their own work, not a later change. */
export interface OwnStates {
  /** Whether the thing is what such an undo has left, or may have left in the middle of a step. */
  readonly includes: (thing: Pick<UndoItem, 'kind' | 'name'>, now: unknown) => boolean
}

/** Collects them from the journals of these undos. */
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
