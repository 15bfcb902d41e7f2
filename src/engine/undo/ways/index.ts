import { subjects } from '../../../subjects/index.ts'
import type { UndoHandler } from '../../../host/undo-handler.ts'
import { attributes } from './attributes.ts'
import { path } from './path.ts'

// A handler only receives states that it has produced itself, so erasing their type is safe.
const WAYS = new Map<string, UndoHandler<unknown>>(
  [{ path, attributes }, ...subjects.map(({ undo = {} }) => undo)].flatMap((undo) =>
    Object.entries(undo as unknown as Readonly<Record<string, UndoHandler<unknown>>>),
  ),
)

/** Undo handler of a kind of item. Throws an error for an unknown kind. */
export function wayOf(kind: string): UndoHandler<unknown> {
  const way = WAYS.get(kind)
  if (way === undefined) throw new Error(`no subject restores things of the kind "${kind}"`)
  return way
}
