import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Run } from '../../../src/model/run.ts'
import { PLAIN } from '../../../src/report/format.ts'
import { renderReport } from '../../../src/report/index.ts'
import { arbitraryRun } from '../../support/arbitrary-run.ts'
import { comparedRun, mergedRun, waivedRun } from '../../support/format-runs.ts'
import { hostileText } from '../../support/hostile-text.ts'
import { flattenMarkdown, parseMarkdown, tablesOf, visibleText } from '../../support/markdown.ts'
import { controlResult, policyResult, resourceResult, runOf, runWith } from '../../support/run.ts'
import { auditRun, emptyRun, fixRun, interruptedRun, invalidRun, SAMPLE_RUNS } from '../../support/sample-runs.ts'
import { cases } from '../../support/soak.ts'

async function render(run: Run): Promise<string> {
  return await renderReport(run, 'markdown')
}

/** The headings and the names of what is folded, in their order. */
function outline(markdown: string): readonly string[] {
  const tokens = parseMarkdown(markdown)
  return tokens.flatMap(({ type, content }, index) => {
    const next = tokens[index + 1]
    if (type === 'heading_open' && next !== undefined) return [visibleText(next)]
    const [, summary] = /<summary>(.*)<\/summary>/.exec(type === 'html_block' ? content : '') ?? []
    return summary === undefined ? [] : [summary]
  })
}

test('failures come first, then manual controls, and the rest is folded', async () => {
  expect(outline(await render(auditRun))).toEqual([
    'driftgate: failed on web01, exit 2',
    'Problems',
    'Fix these first',
    'Drift and failures',
    'Open controls',
    'Differences of contents (1)',
    'Waived (1)',
    'Could not be read (1)',
    'Not applicable, or with a note (2)',
    'Other controls (1)',
    'Notes',
  ])
})

test('the report begins with the answer, the score and the first priorities with the command in code', async () => {
  const control = controlResult({
    id: 'c-1',
    title: 'Only *root*',
    verdict: 'drifted',
    description: 'Others read it.',
    remediation: 'chmod it',
    references: { stig: ['V-1'] },
  })
  const drift = [{ property: 'mode', desired: '0600', observed: '0644' }]
  const result = resourceResult({ name: '/a', verdict: 'drifted', change: 'will', drift, controls: ['c-1'] })
  const markdown = await render(runOf({ policies: [policyResult({ resources: [result], controls: [control] })] }))
  expect(markdown).toContain(`
**Not compliant**: 1 of 1 control drifted (1 medium)
`)
  expect(markdown).toContain(`
- \`base\`: score **0** of 100; 1 control: 1 evaluated

### Fix these first

1. **medium** \`c-1\` Only \\*root\\*
   - mode: want 0600, found 0644
   - description: Others read it.
   - remediation: chmod it
   - references: stig V-1
   - fix: \`driftgate scan policies/base.yaml --fix --only c-1\`
`)
})

test('a failure has its verdict, severity, place and both values', async () => {
  const [table] = tablesOf(await render(auditRun))
  expect(table?.[0]).toEqual(['Verdict', 'Resource', 'Property', 'Want', 'Found', 'Remark'])
  expect(table?.[4]).toEqual([
    'drifted\nhigh',
    'file#/etc/ssh/sshd_config\npolicies/ssh.yaml:14:11',
    'mode',
    '0600',
    '0644',
    'others can read it',
  ])
  expect(table?.map(([verdict]) => verdict?.split('\n')[0])).toEqual([
    'Verdict',
    ...Array.from({ length: 10 }, () => 'drifted'),
    'error',
    'blocked',
  ])
})

test('a difference of contents is a block of code', async () => {
  const blocks = parseMarkdown(await render(auditRun)).filter(({ type }) => type === 'fence')
  expect(blocks.map(({ info }) => info)).toEqual(['diff'])
  expect(blocks[0]?.content.split('\n').slice(4, 6)).toEqual(['-PermitRootLogin yes', '+PermitRootLogin no'])
})

test('a run in which all is well is short', async () => {
  const markdown = await render(runOf())
  expect(outline(markdown)).toEqual(['driftgate: passed on web01, exit 0'])
  expect(markdown).toContain('**1 resource**: 1 compliant')
})

test('compliant resources are listed in a verbose report', async () => {
  const markdown = await renderReport(runOf(), 'markdown', { ...PLAIN, verbose: true })
  expect(outline(markdown)).toContain('Everything else (1)')
})

test.each([
  ['could not be performed', invalidRun, 1],
  ['interrupted', interruptedRun, 130],
  ['nothing evaluated', emptyRun, 5],
])('a scan that was %s says so in its headline', async (text, run, code) => {
  const markdown = await render(run)
  expect(outline(markdown)[0]).toBe(`driftgate: ${text} on web01, exit ${code}`)
})

test('problems are listed with their places', async () => {
  const items = parseMarkdown(await render(invalidRun)).filter(({ type }) => type === 'inline')
  expect(items.map(visibleText)).toContain('error: policies/base.yaml:7:11 unknown key "moed", did you mean "mode"?')
})

test('fixed and failed parts of a fix are kept apart', async () => {
  const [failed, fixed] = tablesOf(await render(fixRun))
  expect(failed?.slice(1).map((row) => [row[0], row[2]])).toEqual([['fix-failed\ncritical', 'mode']])
  expect(fixed).toEqual([
    ['Resource', 'Property', 'Was', 'Is'],
    ['file#/srv/data\npolicies/base.yaml:19:9', 'owner', 'root', 'www'],
    ['file#/etc/motd\npolicies/base.yaml:4:9', 'owner', 'nobody', 'root'],
    ['file#/etc/motd\npolicies/base.yaml:4:9', 'mode', '0666', '0644'],
  ])
})

test('waived drift is folded with its terms, and expiring waivers are open', async () => {
  const markdown = await render(waivedRun)
  expect(outline(markdown)).toEqual([
    'driftgate: failed on web01, exit 2',
    'Fix these first',
    'Drift and failures',
    'Waivers that expire',
    'Waived (2)',
  ])
  const [failures, waivers, waived] = tablesOf(markdown)
  expect(failures?.slice(1).map((row) => [row[2], row[5]])).toEqual([['mode', 'waiver W-0 expired on 2026-11-01']])
  // A space of no width keeps the address of the approver from being a mention.
  expect(waivers?.slice(1)).toEqual([
    ['W-0', 'expired on 2026-11-01', 'base-*', '0', 'ops', 'migration'],
    ['W-1', '2026-12-01, 11 days left', 'file#/etc/motd', '1', 'ops@\u200bexample.com', 'legal review'],
  ])
  expect(waived?.[1]?.[5]).toBe('waived until 2026-12-01 by ops@\u200bexample.com: legal review (SEC-7)')
})

test('new and changed drift fails, known drift is folded, and the rest of the baseline is counted', async () => {
  const markdown = await render(comparedRun)
  expect(markdown).toContain(
    'Drift compared with the baseline of 2026-11-19: 1 new, 1 changed, 2 unchanged, 2 resolved, 1 incomparable.',
  )
  const [failures] = tablesOf(markdown)
  expect(failures?.slice(1).map((row) => [row[0], row[2]])).toEqual([
    ['drifted, new\nhigh', 'owner'],
    ['drifted, changed\nhigh', 'group'],
  ])
  expect(outline(markdown)).toEqual([
    'driftgate: failed on web01, exit 2',
    'Fix these first',
    'Drift and failures',
    'Open controls',
    'Known since the baseline (2)',
    'Resolved since the baseline (2)',
    'In the baseline, not comparable (1)',
  ])
})

test('of several machines each row names its own', async () => {
  const markdown = await renderReport(mergedRun, 'markdown', { ...PLAIN, verbose: true })
  expect(outline(markdown)[0]).toBe('driftgate: failed on 2 machines, exit 2')
  expect(
    tablesOf(markdown)[3]
      ?.slice(1)
      .map((row) => row[1]),
  ).toEqual(['web01\nfile#/etc/motd\npolicies/base.yaml:4:9', 'web02\nfile#/etc/motd\npolicies/base.yaml:4:9'])
})

test.each([
  ['a|b', 'a|b'],
  [String.raw`a\|b\\`, String.raw`a\|b\\`],
  ['`', '`'],
  ['``a`', '``a`'],
  [' a ', '" a "'],
  ['| `x` | <b>', '| `x` | <b>'],
  ['<script>alert(1)</script>', '<script>alert(1)</script>'],
  ['&lt;', '&lt;'],
  ['@octocat #1', '@octocat #1'],
  ['a\nb', String.raw`a\nb`],
  ['\\', '\\'],
])('the value %j is shown as it is', async (observed, shown) => {
  const run = runWith({ verdict: 'drifted', drift: [{ property: 'p', desired: observed, observed }] })
  const [table] = tablesOf(await render(run))
  expect(table?.[1]?.slice(2)).toEqual(['p', shown, shown, ''])
})

test.each([
  ['**bold** _it_ ~~no~~', '**bold** _it_ ~~\u200bno~~'],
  ['[x](https://a.example) <https://b.example>', '[x](https:\u200b//a.example) <https:\u200b//b.example>'],
  ['![x](y)', '![x](y)'],
  ['see https://evil.example and www.evil.example', 'see https:\u200b//evil.example and www.\u200bevil.example'],
  ['@octocat @org/team', '@\u200boctocat @\u200borg/team'],
  [
    'fixes #12, GH-12, !3, ~bug, %v1, &4, $5',
    'fixes #\u200b12, GH\u200b-12, !\u200b3, ~\u200bbug, %\u200bv1, &\u200b4, $\u200b5',
  ],
  ['<img src=x onerror=alert(1)> </details>', '<img src=x onerror=alert(1)> </details>'],
  ['a | b | c', 'a | b | c'],
  [String.raw`a\| b \\`, String.raw`a\| b \\`],
  ['`code` ``', '`code` ``'],
  ['100% sure', '100% sure'],
  ['/close', '/close'],
])('the reason %j is shown as it is and does nothing', async (message, shown) => {
  const markdown = await render(runWith({ verdict: 'error', message }))
  expect(tablesOf(markdown)[0]?.[1]).toEqual([expect.any(String), expect.any(String), '', '', '', shown])
  expectHarmless(markdown)
})

test('a difference cannot end its block', async () => {
  const diff = '@@ -1 +1 @@\n-```\n+````\n </details>\n'
  const run = runWith({ verdict: 'drifted', drift: [{ property: 'content', desired: 'a', observed: 'b', diff }] })
  const markdown = await render(run)
  const blocks = parseMarkdown(markdown).filter(({ type }) => type === 'fence')
  expect(blocks.map(({ content }) => content)).toEqual([diff])
  expectHarmless(markdown)
})

/** No link, no picture, no markup and no HTML but what the report itself is made of; every table is whole. */
function expectHarmless(markdown: string): void {
  const tokens = flattenMarkdown(parseMarkdown(markdown))
  for (const { type, content } of tokens) {
    expect(type).not.toMatch(/^(?:link|image|em|s|blockquote|code_block|hr)(?:_|$)/)
    if (type === 'html_inline') expect(content).toMatch(/^<(?:br|\/?code|\/?sub)>$/)
    if (type === 'html_block') {
      expect(content).toMatch(/^(?:<\/details>|<details>\n<summary>[A-Z][a-z, ]+ \(\d+\)<\/summary>)\n*$/)
    }
  }
  const count = (kind: string): number => markdown.split('\n').filter((line) => line === kind).length
  expect(count('<details>')).toBe(count('</details>'))
  for (const [head, ...rows] of tablesOf(markdown)) {
    for (const row of rows) expect(row).toHaveLength(head?.length ?? 0)
  }
}

test.each([...SAMPLE_RUNS, ['waived', waivedRun], ['compared', comparedRun], ['merged', mergedRun]] as const)(
  'the %s run does nothing but be read',
  async (_name, run) => {
    expectHarmless(await render(run))
  },
)

test('the markdown of every run is harmless', async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryRun, async (run) => {
      expectHarmless(await render(run))
    }),
    { numRuns: cases({ usual: 40, soak: 1500 }) },
  )
})

test('hostile reasons and values keep to their cells', async () => {
  await fc.assert(
    fc.asyncProperty(hostileText, fc.string({ unit: 'grapheme-ascii', maxLength: 40 }), async (hostile, ascii) => {
      const observed = hostile + ascii
      const run = runWith({
        verdict: 'drifted',
        drift: [{ property: ascii, desired: 'x', observed, note: ascii + hostile }],
        controls: [ascii],
      })
      const control = controlResult({ id: ascii, title: hostile + ascii, verdict: 'drifted' })
      const markdown = await render({
        ...run,
        policies: run.policies.map((policy) => ({ ...policy, controls: [control] })),
        exit: { code: 2, reasons: [ascii + hostile] },
        notes: [ascii],
        problems: [{ message: ascii, severity: 'warning' }],
      })
      expectHarmless(markdown)
      expect(tablesOf(markdown).map((table) => table.length)).toEqual([2, 2])
    }),
    { numRuns: cases({ usual: 60, soak: 3000 }) },
  )
})

test('printable text in prose is read back, but for the spaces of no width', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 40 }), async (text) => {
      fc.pre(text.trim() === text && !text.includes('##[') && !text.startsWith('::') && !/ {2}/.test(text))
      const [table] = tablesOf(await render(runWith({ verdict: 'error', message: text })))
      expect(table?.[1]?.[5]?.replaceAll('\u200b', '')).toBe(text)
    }),
    { numRuns: cases({ usual: 60, soak: 3000 }) },
  )
})

test('a report is never longer than a comment may be, whole rows are left out, and it says which', async () => {
  const many = Array.from({ length: 3_000 }, (_, index) => ({
    name: `/srv/${index}/${'|'.repeat(150)}`,
    verdict: index % 2 === 0 ? ('drifted' as const) : ('waived' as const),
    drift: [{ property: 'content', desired: 'a', observed: 'b', diff: '-a\n+b\n'.repeat(80) }],
  }))
  const markdown = await render(runWith(...many))
  expect(markdown.length).toBeLessThan(65_536)
  expect(markdown.length).toBeGreaterThan(60_000)
  expectHarmless(markdown)
  const shown = (tablesOf(markdown)[0]?.length ?? 0) - 1
  expect(markdown).toContain(`**This report is cut to the length of a comment.** Left out: ${1_500 - shown} of `)
  expect(markdown).toContain('1500 of “Waived”')
  expect(markdown).toMatch(/<sub>driftgate .*<\/sub>\n$/)
})

test('drift leaves room for the controls that are not met', async () => {
  const numbers = Array.from({ length: 1_000 }, (_, index) => index)
  const drift = [{ property: 'mode', desired: '0600', observed: '0644', note: 'x'.repeat(200) }]
  const resources = numbers.map((index) =>
    resourceResult({ name: `/srv/${index}`, verdict: 'drifted', drift, controls: [`c-${index}`] }),
  )
  const controls = numbers.map((index) => controlResult({ id: `c-${index}`, verdict: 'drifted' }))
  const markdown = await render(runOf({ policies: [policyResult({ resources, controls })] }))
  expect(tablesOf(markdown).map((table) => table.length > 50)).toEqual([true, true])
  expect(markdown.length).toBeLessThan(65_536)
})

test('a report that fits says nothing of cuts', async () => {
  expect(await render(auditRun)).not.toContain('Left out')
})
