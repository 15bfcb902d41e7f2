import { expect, test } from 'vitest'
import { renderReport } from '../../../src/report/index.ts'
import { policyResult, resourceResult, runOf } from '../../support/run.ts'

// test/report/golden.test.ts compares whole reports with test/fixtures/reports/*.__format__. Here stands what a reader of the
// format relies on; where there is a parser or a schema of another project, hold the reports to it.

test('every resource is in it with its verdict, and the exit code is last', async () => {
  const resources = [
    resourceResult({ id: 'file#/etc/motd', verdict: 'compliant' }),
    resourceResult({
      id: 'file#/etc/issue',
      verdict: 'drifted',
      drift: [{ property: 'mode', desired: '0644', observed: '0600' }],
    }),
  ]
  const lines = (await renderReport(runOf({ policies: [policyResult({ resources })] }), '__format__')).split('\n')
  expect(lines[0]).toMatch(/^compliant file#\/etc\/motd: /)
  expect(lines[1]).toMatch(/^drifted file#\/etc\/issue: mode/)
  expect(lines.slice(2)).toEqual([expect.stringMatching(/^exit \d$/), ''])
})

test('nothing of a machine steers a terminal or adds a line', async () => {
  const resources = [resourceResult({ id: 'file#/a\nb\u001b[2J', verdict: 'compliant' })]
  const text = await renderReport(runOf({ policies: [policyResult({ resources })] }), '__format__')
  expect(text.split('\n')).toHaveLength(3)
  expect(text).not.toContain('\u001b')
})
