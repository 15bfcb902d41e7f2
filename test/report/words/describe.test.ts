import { expect, test } from 'vitest'
import { driftTable } from '../../../src/report/formats/html/drift-table.ts'
import { describeResource } from '../../../src/report/words/describe.ts'
import type { Channel } from '../../../src/report/words/rows.ts'
import { resourceResult } from '../../support/run.ts'

const PLAIN: Channel = { escape: (text) => text, paint: (_tone, text) => text }

test('reports for people show the first hundred drifts of a resource and count the others', () => {
  const drift = Array.from({ length: 150 }, (_, path) => ({
    property: 'mode',
    path: `f${path}`,
    desired: 1,
    observed: 2,
  }))
  const result = resourceResult({ verdict: 'fix-failed', drift, remaining: drift.slice(0, 120) })
  const rows = describeResource(result, PLAIN)
  const others = (count: number): readonly string[] => [
    `and ${count} other differences, all of which are in the JSON report`,
  ]
  expect(rows.filter(({ label }) => label.startsWith('mode '))).toHaveLength(100)
  expect(rows.find(({ label }) => label === '…')?.lines).toEqual(others(50))
  expect(rows.findLast(({ label }) => label === 'remains')?.lines).toEqual(others(20))
  const { html = '' } = driftTable(result) ?? {}
  expect(html.match(/<th scope="row">/g)).toHaveLength(100)
  expect(html).toContain(others(50)[0])
})

test('so it is where they are compared with a baseline', () => {
  const drift = Array.from({ length: 130 }, (_, path) => ({
    property: 'mode',
    path: `f${path}`,
    desired: 1,
    observed: 2,
    baseline: path === 0 ? ('new' as const) : ('unchanged' as const),
  }))
  const [row] = describeResource(resourceResult({ drift }), PLAIN).filter(({ label }) => label === 'baseline')
  expect(row?.lines[0]).toMatch(/^mode f0 new; mode f1, .*mode f100, 29 more unchanged$/)
})
