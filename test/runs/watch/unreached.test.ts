import { expect, test } from 'vitest'
import { withUnreached } from '../../../src/runs/watch/watch-log.ts'
import { policyResult, resourceResult, runOf } from '../../support/run.ts'

const seen = (target: string) => policyResult({ target, resources: [resourceResult({ verdict: 'drifted' })] })
const unreached = (target: string) =>
  policyResult({ target, resources: [resourceResult({ verdict: 'error', reason: 'unreachable' })] })

test('what was seen of a target that is not reached any more is kept, and nothing of the others', () => {
  const before = runOf({ policies: [seen('a'), seen('b'), unreached('c')] })
  const now = runOf({ policies: [seen('a'), unreached('b'), unreached('c')] })
  expect(withUnreached(now, before).policies).toEqual([...now.policies, seen('b')])
  expect(withUnreached(now, undefined)).toEqual(now)
})
