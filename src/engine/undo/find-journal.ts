import type { StoredJournal } from './journals.ts'
import type { LastFix } from './last-fix.ts'
import { hasChanged } from './step.ts'

/** Journal of the run with this id prefix; otherwise an error sentence. */
export function findJournal(journals: readonly StoredJournal[], run: string): StoredJournal | string {
  const found = journals.filter(({ head }) => head.run.startsWith(run))
  const [first, second] = found
  if (first === undefined) return `no stored fix matches "${run}"; driftgate fixes lists them`
  if (second === undefined) return first
  return `"${run}" could be ${found.map(({ head }) => head.run).join(', ')}; use a longer prefix`
}

/**
 * Journal of the last fix; a sentence if it cannot be undone, so that no older one is undone instead. If the last fix
 * is an interrupted undo, returns the fix it was undoing, so that the undo continues.
 */
export function latestJournal(journals: readonly StoredJournal[], last: LastFix | undefined): StoredJournal | string {
  const [newest] = journals
  if (last !== undefined && last.sequence > (newest?.head.sequence ?? 0)) {
    return `the latest fix, ${last.run}, ${REASONS[last.left]}${describeEarlierFix(newest)}`
  }
  if (newest === undefined) return 'no fix can be undone'
  const { isWhole, head, steps } = newest
  if (!isWhole) return journals.find(({ head: { run } }) => run === head.undoes) ?? newest
  if (hasChanged(steps)) return newest
  return `the latest fix, ${head.run}, ${REASONS['no-change']}${describeEarlierFix(journals[1])}`
}

const REASONS = {
  journal: 'is no longer stored',
  'no-change': 'changed nothing: there is nothing to undo',
  'not-kept': 'stored no undo data, so it cannot be undone',
} as const

function describeEarlierFix(earlier: StoredJournal | undefined): string {
  return earlier === undefined
    ? ''
    : `; the fix before it, of ${earlier.head.startedAt}, is undone with "driftgate undo ${earlier.head.run}"`
}
