import { canonicalJson } from '../../model/canonical-json.ts'
import type { ResourceResult } from '../../model/run.ts'
import type { StoredCommand } from '../../host/command.ts'
import type { RootIdentity } from '../../host/root/identity.ts'

/** Version of the journal format. */
export const JOURNAL_SCHEMA = 'driftgate.undo/v1'

/** First line of a fix journal. Times are ISO 8601 in UTC. */
export interface JournalHead {
  readonly schema: typeof JOURNAL_SCHEMA
  readonly run: string
  readonly startedAt: string
  /** Sequence number of the fix in its state directory; 0 in journals of older versions. */
  readonly sequence: number
  readonly policies: readonly JournalPolicy[]
  /** Root directory of the fixed system; absent for this machine. */
  readonly root?: RootIdentity
  /** The fix that this one undoes. */
  readonly undoes?: string
}

export interface JournalPolicy {
  readonly id: string
  readonly source: string
  readonly sha256: string
}

/** Resource that causes a change; `policy` is the id of the top-level policy. */
export interface StepOwner extends Pick<
  ResourceResult,
  'path' | 'id' | 'type' | 'name' | 'alias' | 'severity' | 'source'
> {
  readonly policy: string
}

/**
 * An item that an action changes. `before` and `after` are the states that its handler has read; `after` is absent if
 * it was not read again.
 */
export interface UndoItem {
  readonly kind: string
  readonly name: string
  readonly before: unknown
  readonly after?: unknown
  /** Number of its copy in `kept`, if any. */
  readonly kept?: number
  /** Set for a file that was written in place, so that it keeps its inode and hard links. */
  readonly inPlace?: true
}

export interface Step {
  readonly number: number
  readonly owner: StepOwner
  readonly things: readonly UndoItem[]
  /** Command that reverts a change without an undo handler. */
  readonly back?: StoredCommand
  /** Command that activates file changes, run again after a restore. */
  readonly again?: StoredCommand
  /** True if `again` only produces the items of this step, so that it runs only if one of them was not restored. */
  readonly unlessBack?: boolean
  /** Reason why a part cannot be undone. */
  readonly lost?: string
  /** False if the fix ended during the action. */
  readonly isOver: boolean
  /** True if the action reported a failure. Observing shows its partial changes, except those of a command. */
  readonly hasFailed?: boolean
}

/** Compares states, which are plain JSON data. */
export function isSame(left: unknown, right: unknown): boolean {
  return canonicalJson(left) === canonicalJson(right)
}

/** True if these steps have left an observed change. */
export function hasChanged(steps: readonly Step[]): boolean {
  const net = new Map<string, Pick<UndoItem, 'before' | 'after'>>()
  for (const { kind, name, before, after } of steps.flatMap(({ things }) => things)) {
    const key = JSON.stringify([kind, name])
    net.set(key, { before: net.has(key) ? net.get(key)?.before : before, after })
  }
  if ([...net.values()].some(({ before, after }) => !isSame(before, after))) return true
  return steps.some(
    ({ isOver, hasFailed, things, back, lost }) =>
      !isOver || (hasFailed !== true && things.length === 0 && (back !== undefined || lost !== undefined)),
  )
}
