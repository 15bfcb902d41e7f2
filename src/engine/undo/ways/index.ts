import { subjects } from '../../../subjects/index.ts'
import type { UndoHandler } from '../../../host/undo-handler.ts'
import { attributes } from './attributes.ts'
import { path } from './path.ts'

// A state only ever comes from the handler that gets it again, so its type is known to that one alone.
const WAYS = new Map<string, UndoHandler<unknown>>(
  [{ path, attributes }, ...subjects.map(({ undo = {} }) => undo)].flatMap((undo) =>
    Object.entries(undo as unknown as Readonly<Record<string, UndoHandler<unknown>>>),
  ),
)

/** How things of a kind are restored. Throws where no subject of this driftgate has such a kind. */
export function wayOf(kind: string): UndoHandler<unknown> {
  const way = WAYS.get(kind)
  if (way === undefined) throw new Error(`no subject restores things of the kind "${kind}"`)
  return way
}
