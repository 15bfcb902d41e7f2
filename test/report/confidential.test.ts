import { expect, test } from 'vitest'
import { withoutConfidential, withoutConfidentialDiffs } from '../../src/report/confidential.ts'
import { policyResult, resourceResult, runOf } from '../support/run.ts'

const diff = '--- observed\n+++ desired\n@@ -1 +1 @@\n-secret\n+other\n'
const drift = { property: 'content', desired: 'other', observed: 'secret', diff } as const
const NOTE = 'not shown: the file is private, and this report is not'

test('confidential diffs are left out before and after a fix, and the rest stays', () => {
  const open = { ...drift, property: 'mode' }
  const result = resourceResult({
    drift: [{ ...drift, confidential: true, note: 'why', fingerprint: 'f' }, open],
    remaining: [{ ...drift, confidential: true }, open],
  })
  const { diff: _diff, ...rest } = drift
  expect(withoutConfidentialDiffs(result)).toEqual({
    ...result,
    drift: [{ ...rest, note: `why; ${NOTE}`, fingerprint: 'f' }, open],
    remaining: [{ ...rest, note: NOTE }, open],
  })
})

test('a run without such diffs is the run itself', () => {
  const run = runOf({ policies: [policyResult({ resources: [resourceResult({ drift: [drift] })] })] })
  expect(withoutConfidential(run)).toBe(run)
})
