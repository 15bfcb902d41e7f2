import type { DecidedDrift } from '../../core/drift.ts'
import { unifiedDiff } from '../../core/unified-diff.ts'
import type { TextComparison } from './compare-texts.ts'

/** What a drift says of two contents beside their fingerprints. */
export function showDifference(
  comparison: TextComparison | undefined,
): Pick<DecidedDrift, 'diff' | 'note' | 'confidential' | 'conceal'> {
  switch (comparison?.kind) {
    case undefined:
      return {}
    case 'texts': {
      const diff = unifiedDiff(comparison.observed, comparison.desired)
      return comparison.isPrivate ? { diff, confidential: true } : { diff }
    }
    case 'not-shown':
      return comparison.note === undefined ? {} : { note: comparison.note }
    case 'withheld':
      return { note: comparison.note, conceal: true }
  }
}
