import { loadUndo } from '../../../subjects/index.ts'
import type { UndoHandler } from '../../../host/undo-handler.ts'
import { attributes } from './attributes.ts'
import { path } from './path.ts'

const WAYS: ReadonlyMap<string, object> = new Map(Object.entries({ path, attributes }))

/** Undo handler of a kind of item. Throws an error for an unknown kind. */
export async function wayOf(kind: string): Promise<UndoHandler<unknown>> {
  const way = WAYS.get(kind) ?? (await loadUndo(kind))
  if (way === undefined) throw new Error(`no subject restores things of the kind "${kind}"`)
  // A handler only receives states that it has produced itself, so erasing their type is safe.
  return way as UndoHandler<unknown>
}
