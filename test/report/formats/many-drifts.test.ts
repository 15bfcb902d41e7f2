import { expect, test } from 'vitest'
import { render as renderJunit } from '../../../src/report/formats/junit/render.ts'
import { render as renderTap } from '../../../src/report/formats/tap/render.ts'
import { policyResult, resourceResult, runOf } from '../../support/run.ts'

const MORE = 'and 50 other differences, all of which are in the JSON report'

const drift = Array.from({ length: 150 }, (_, path) => ({
  property: 'mode',
  path: `f${path}`,
  desired: 1,
  observed: 2,
}))
const runWith = (verdict: 'drifted' | 'fixed') =>
  runOf({ policies: [policyResult({ resources: [resourceResult({ verdict, drift })] })] })

test.each(['drifted', 'fixed'] as const)('JUnit shows the first hundred drifts of what is %s', async (verdict) => {
  const text = await renderJunit(runWith(verdict))
  expect(new Set(text.match(/mode f\d+:/g)).size).toBe(100)
  expect(text).toContain(MORE)
})

test('TAP shows the first hundred drifts', () => {
  const text = renderTap(runWith('drifted'))
  expect(text.match(/property: ['"]?mode f/g)).toHaveLength(100)
  expect(text).toContain(MORE)
})
