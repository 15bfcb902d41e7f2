import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { journalsIn } from './journal.ts'
import { readJournal } from './read-journal.ts'
import { isSame, type UndoItem } from './step.ts'

/** Changes of unconfirmed fixes, which may be reverted at any moment. */
export interface PendingChanges {
  /** Reason, as a sentence, why an item must not be changed now; undefined without a pending fix. */
  readonly conflict: (thing: Pick<UndoItem, 'kind' | 'name'>) => string | undefined
}

// Other kinds contain items of several fixes, which are restored individually.
const WHOLE_KINDS: ReadonlySet<UndoItem['kind']> = new Set([
  'path',
  'attributes',
  'service',
  'running',
  'parameter',
  'module',
  'mount',
])

/** Collects the changes of these runs, except the one being undone. Throws the system's error. */
export function pendingChanges(stateDirectory: string, runs: readonly string[], undone?: string): PendingChanges {
  const changed = runs
    .filter((run) => run !== undone)
    .flatMap((run) => changesOf(join(journalsIn(stateDirectory), run)).map((thing) => ({ ...thing, run })))
  return {
    conflict({ kind, name }) {
      const found = changed.find((other) => isOverlapping(other, { kind, name }))
      if (found === undefined) return undefined
      const { run } = found
      return (
        `${found.name} was changed by the fix ${run}, which is pending confirmation: ` +
        `run "driftgate confirm ${run}" or "driftgate undo ${run}" first`
      )
    },
  }
}

function changesOf(directory: string): readonly UndoItem[] {
  const journal = readJournalIfThere(directory)
  if (journal === undefined) return []
  return journal.steps.flatMap(({ things }) =>
    things.filter(({ kind, before, after }) => WHOLE_KINDS.has(kind) && !isSame(before, after)),
  )
}

function readJournalIfThere(directory: string): Exclude<ReturnType<typeof readJournal>, string> | undefined {
  if (!existsSync(join(directory, 'journal'))) return undefined
  const journal = readJournal(directory)
  return typeof journal === 'string' ? undefined : journal
}

function isOverlapping(left: Pick<UndoItem, 'kind' | 'name'>, right: Pick<UndoItem, 'kind' | 'name'>): boolean {
  const isFile = (kind: UndoItem['kind']): boolean => kind === 'path' || kind === 'attributes'
  if (left.name === right.name) return left.kind === right.kind || (isFile(left.kind) && isFile(right.kind))
  const isBelow = (inner: typeof left, outer: typeof left): boolean =>
    outer.kind === 'path' && isFile(inner.kind) && inner.name.startsWith(`${outer.name}/`)
  return isBelow(left, right) || isBelow(right, left)
}
