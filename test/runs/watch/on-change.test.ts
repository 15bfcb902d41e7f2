import { expect, test } from 'vitest'
import type { Comparison } from '../../../src/model/findings/compare.ts'
import type { Verdict } from '../../../src/model/verdict.ts'
import { hasChanged } from '../../../src/runs/watch/on-change.ts'

function comparison(counts: object, ...verdicts: readonly (readonly [before: Verdict, after: Verdict])[]): Comparison {
  return {
    counts: { new: 0, changed: 0, unchanged: 0, resolved: 0, incomparable: 0, ...counts },
    resources: verdicts.map(([before, after]) => ({ before, after })),
  } as unknown as Comparison
}

test.each([
  ['nothing', {}, [], false],
  ['drift as before', { unchanged: 3 }, [], false],
  ['new drift', { new: 1 }, [], true],
  ['changed drift', { changed: 1 }, [], true],
  ['resolved drift', { resolved: 1 }, [], true],
  ['drift that cannot be compared', { incomparable: 1 }, [], true],
  ['a fixed resource that is then compliant', {}, [['fixed', 'compliant']], false],
  ['a fixed resource that drifts again', {}, [['fixed', 'drifted']], true],
  ['a compliant resource that became so otherwise', {}, [['error', 'compliant']], true],
  [
    'one of two resources',
    {},
    [
      ['fixed', 'compliant'],
      ['compliant', 'error'],
    ],
    true,
  ],
] as const)('%s: the command of a watch runs: %j %j %s', (_what, counts, verdicts, expected) => {
  expect(hasChanged(comparison(counts, ...verdicts))).toBe(expected)
})
