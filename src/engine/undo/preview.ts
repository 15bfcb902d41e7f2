import type { WrittenJournal } from './read-journal.ts'
import { examine, type Examining, type UndoneItem } from './put-back.ts'
import { mergeUndone, joinedChanges, keyOf } from './take-back.ts'
import { emptyResult, type TakenBack } from './taken-back.ts'

/**
 * Previews an undo without changes: each item is observed once, and a change by a later step of the fix counts as
 * already reverted.
 */
export async function previewUndo(
  { steps }: WrittenJournal,
  chosen: ReadonlySet<string> | undefined,
  examining: Examining,
): Promise<readonly TakenBack[]> {
  const results = new Map<string, TakenBack>()
  const states = new Map<string, unknown>()
  const affected = steps.filter(({ owner }) => chosen?.has(owner.id) !== false)
  for (const step of joinedChanges(affected).toReversed()) {
    const key = keyOf(step.owner)
    let result = results.get(key) ?? emptyResult(step.owner)
    for (const thing of step.things.toReversed()) {
      const place = JSON.stringify([thing.kind, thing.name])
      const examined = await examine(thing, step, { ...examining, assumed: states.get(place) })
      if (examined.kind === 'to-restore') states.set(place, examined.moments.before)
      const undone: UndoneItem =
        examined.kind === 'settled' ? examined.thing : { ...examined.words, outcome: 'restored' }
      result = { ...result, things: mergeUndone(result.things, undone) }
    }
    const { lost, back } = step
    if (lost !== undefined) result = { ...result, byHand: [...result.byHand, lost] }
    else if (back !== undefined) result = { ...result, commands: [...result.commands, back.argv.join(' ')] }
    results.set(key, result)
  }
  return [...results.values()]
}
