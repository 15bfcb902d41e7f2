import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Drift } from '../../src/model/drift.ts'
import type { Run } from '../../src/model/run.ts'
import { compareRuns } from '../../src/model/findings/compare.ts'
import { comparisonMarkdown } from '../../src/report/comparison/markdown.ts'
import { hostileText } from '../support/hostile-text.ts'
import { flattenMarkdown, parseMarkdown, tablesOf } from '../support/markdown.ts'
import { policyResult, resourceResult, runOf } from '../support/run.ts'

function run(...drift: readonly Drift[]): Run {
  const verdict = drift.length === 0 ? 'compliant' : 'drifted'
  return runOf({ policies: [policyResult({ resources: [resourceResult({ verdict, change: 'will', drift })] })] })
}

const mode: Drift = { property: 'mode', desired: '0600', observed: '0644' }
const owner: Drift = { property: 'owner', desired: 'root', observed: 'nobody' }
const worse: Drift = { ...mode, observed: '0666' }

test('new and changed drift is open with both values and the cause', () => {
  const markdown = comparisonMarkdown(compareRuns(run(mode), run(worse, owner)))
  expect(markdown).toMatch(/^## driftgate: 1 new, 1 changed\n/)
  const [added, changed] = tablesOf(markdown)
  expect(added?.[1]).toEqual(['medium', 'file#/etc/motd', 'owner', '', 'want root\nfound nobody', 'the host changed'])
  expect(changed?.[1]).toEqual([
    'medium',
    'file#/etc/motd',
    'mode',
    'want 0600\nfound 0644',
    'want 0600\nfound 0666',
    'the host changed',
  ])
})

test('resolved drift is folded', () => {
  expect(comparisonMarkdown(compareRuns(run(mode), run()))).toContain('<summary>Resolved (1)</summary>')
})

test('text from a machine is text, and every row has its six cells', () => {
  fc.assert(
    fc.property(hostileText, hostileText, (property, observed) => {
      const markdown = comparisonMarkdown(compareRuns(run(), run({ property, desired: 'x', observed })))
      for (const row of tablesOf(markdown).flat()) expect(row).toHaveLength(6)
      const kinds = new Set(flattenMarkdown(parseMarkdown(markdown)).map(({ type }) => type))
      for (const type of ['link_open', 'image', 'fence', 'blockquote_open']) expect(kinds.has(type), type).toBe(false)
    }),
  )
})

test('a comment has room for it, however much there is', () => {
  const many = Array.from({ length: 5_000 }, (_, index): Drift => ({ ...mode, property: `mode ${index}` }))
  const markdown = comparisonMarkdown(compareRuns(run(), run(...many)))
  expect(markdown.length).toBeLessThan(65_536)
  expect(markdown).toContain('Left out:')
})
