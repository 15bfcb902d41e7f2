import { canonicalJson } from '../../model/canonical-json.ts'
import type { ResourceResult } from '../../model/run.ts'
import type { StoredCommand } from '../../host/command.ts'
import type { RootIdentity } from '../../host/root/identity.ts'

/** The version of the journal's format. */
export const JOURNAL_SCHEMA = 'driftgate.undo/v1'

/** What stands in the first line of the journal of a fix. Times are ISO 8601 in UTC. */
export interface JournalHead {
  readonly schema: typeof JOURNAL_SCHEMA
  readonly run: string
  readonly startedAt: string
  /** Counts the fixes of a state directory; 0 in journals of versions that did not count. */
  readonly sequence: number
  readonly policies: readonly JournalPolicy[]
  /** The root directory below which it changed a system; absent for this machine. */
  readonly root?: RootIdentity
  /** The fix that this one takes back. */
  readonly undoes?: string
}

/** A policy of the fix. */
export interface JournalPolicy {
  readonly id: string
  readonly source: string
  readonly sha256: string
}

/** The resource for which something is changed; `policy` is the id of the policy that was given to the run. */
export interface StepOwner extends Pick<
  ResourceResult,
  'path' | 'id' | 'type' | 'name' | 'alias' | 'severity' | 'source'
> {
  readonly policy: string
}

/** Something that an action changes. `before` and `after` are what its handler has read; `after` is absent where it was not read again. */
export interface UndoItem {
  readonly kind: string
  readonly name: string
  readonly before: unknown
  readonly after?: unknown
  /** The number of its copy in `kept`, where it has one. */
  readonly kept?: number
  /** Whether it is a file that was written where it lies, so that its inode and its other names are those of before. */
  readonly inPlace?: true
}

/** A change of a fix. */
export interface Step {
  readonly number: number
  readonly owner: StepOwner
  readonly things: readonly UndoItem[]
  /** Takes back what no way knows. */
  readonly back?: StoredCommand
  /** Makes things effective that lie in files, so it runs again when they are put back. */
  readonly again?: StoredCommand
  /** Whether `again` makes nothing but what the things of this step are, so that it only runs where one of them was not put back. */
  readonly unlessBack?: boolean
  /** Why a part of it cannot be taken back. */
  readonly lost?: string
  /** Whether the action came to its end. Otherwise the fix was ended in the middle of it. */
  readonly isOver: boolean
  /** Whether the action said that it failed. What it had done until then is seen by looking, except for a command. */
  readonly hasFailed?: boolean
}

/** States are plain data that went through JSON. */
export function isSame(left: unknown, right: unknown): boolean {
  return canonicalJson(left) === canonicalJson(right)
}

/** Whether these steps have left anything otherwise than it was before the first of them, as far as anyone looked. */
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
