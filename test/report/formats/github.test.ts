import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ResourceResult, Run } from '../../../src/model/run.ts'
import type { Severity } from '../../../src/model/verdict.ts'
import { renderReport } from '../../../src/report/index.ts'
import { arbitraryRun } from '../../support/arbitrary-run.ts'
import { comparedRun, mergedRun, waivedRun } from '../../support/format-runs.ts'
import { hostileText } from '../../support/hostile-text.ts'
import { policyResult, resourceResult, runOf } from '../../support/run.ts'
import { auditRun, emptyRun, fixRun, interruptedRun, invalidRun } from '../../support/sample-runs.ts'
import { parseWorkflowLog, type WorkflowCommand } from '../../support/workflow-commands.ts'
import { cases } from '../../support/soak.ts'

/** The commands of a report, which has nothing else: one per line, and nothing after the last line end. */
async function render(run: Run): Promise<readonly WorkflowCommand[]> {
  const text = await renderReport(run, 'github')
  const lines = parseWorkflowLog(text)
  expect(lines.at(-1)).toBe('')
  return lines.slice(0, -1).map((line) => {
    if (typeof line === 'string') throw new Error(`no command: ${line}`)
    return line
  })
}

function runWith(...resources: readonly Partial<ResourceResult>[]): Run {
  const policies = [policyResult({ resources: resources.map(resourceResult) })]
  return runOf({ policies, exit: { code: 2, reasons: [] } })
}

async function namesOf(run: Run): Promise<readonly string[]> {
  return (await render(run)).map(({ name }) => name)
}

const drift = [{ property: 'mode', desired: '0600', observed: '0644' }]

test('an annotation stands at the line of the resource, with the desired and the observed value', async () => {
  const [first] = await render(runWith({ verdict: 'drifted', drift, severity: 'high', controls: ['a-1', 'b,2'] }))
  expect(first).toEqual({
    name: 'error',
    properties: {
      file: 'policies/base.yaml',
      line: '4',
      col: '9',
      title: 'drifted (high) [a-1, b,2]: file#/etc/motd',
    },
    data: 'mode: want 0600, found 0644',
  })
})

test.each<readonly [string, Partial<ResourceResult>, string | undefined]>([
  ['compliant', {}, undefined],
  ['not applicable', { verdict: 'not-applicable' }, undefined],
  ['an error', { verdict: 'error' }, 'error'],
  ['blocked', { verdict: 'blocked' }, 'warning'],
  ['waived', { verdict: 'waived', drift }, 'notice'],
  ['fixed', { verdict: 'fixed', drift }, 'notice'],
  ['a failed fix', { verdict: 'fix-failed', drift, remaining: drift }, 'error'],
  ['known drift', { verdict: 'drifted', drift: drift.map((it) => ({ ...it, baseline: 'unchanged' })) }, 'notice'],
  ...(['info', 'low'] as const).map(
    (severity: Severity) => [`${severity} drift`, { verdict: 'drifted', drift, severity }, 'warning'] as const,
  ),
  ...(['medium', 'high', 'critical'] as const).map(
    (severity: Severity) => [`${severity} drift`, { verdict: 'drifted', drift, severity }, 'error'] as const,
  ),
])('a resource that is %s has its level', async (_case, fields, level) => {
  // One compliant resource beside it, so that a run of what does not apply is not one that evaluated nothing.
  const names = await namesOf(runWith(fields, { name: '/b' }))
  expect(names).toEqual(level === undefined ? ['notice'] : [level, 'notice'])
})

test('drift that the gate lets pass is a warning', async () => {
  const run = runWith({ verdict: 'drifted', drift, severity: 'high' })
  expect(await namesOf({ ...run, exit: { code: 0, reasons: [] } })).toEqual(['warning', 'notice'])
})

test('a run without trouble is one notice', async () => {
  expect(await renderReport(runOf(), 'github')).toBe('::notice title=driftgate::1 resource: 1 compliant, exit 0.\n')
})

test('the worst comes first, the count last', async () => {
  const commands = await render(auditRun)
  expect(commands.map(({ name }) => name)).toEqual([
    ...Array.from({ length: 11 }, () => 'error'),
    ...Array.from({ length: 3 }, () => 'warning'),
    'notice',
    'notice',
  ])
  expect(commands[0]?.properties['title']).toContain('(critical)')
  expect(commands.at(-1)?.data).toBe(
    '11 resources: 4 compliant, 3 drifted, 1 error, 1 blocked, 1 not-applicable, 1 waived, exit 2; ' +
      '3 resources drifted at or above severity info; 1 resource unknown; 1 resource is blocked. ' +
      'GitHub shows 10 annotations of a level: the log has 1 error more.',
  )
})

test('the log has the errors and warnings beyond the limit of GitHub, and the last notice is among the ten', async () => {
  const many = (count: number, fields: Partial<ResourceResult>): Partial<ResourceResult>[] =>
    Array.from({ length: count }, (_, index) => ({ ...fields, name: `/${fields.verdict}/${fields.severity}/${index}` }))
  const commands = await render(
    runWith(
      ...many(12, { verdict: 'drifted', drift, severity: 'high' }),
      ...many(11, { verdict: 'drifted', drift, severity: 'low' }),
      ...many(14, { verdict: 'fixed', drift, severity: 'info' }),
    ),
  )
  const countOf = (level: string): number => commands.filter(({ name }) => name === level).length
  expect([countOf('error'), countOf('warning'), countOf('notice')]).toEqual([12, 11, 10])
  expect(commands.at(-1)?.data).toMatch(
    /the log has 2 errors and 1 warning more, the other reports have 5 notices more\.$/,
  )
})

test('waived and known drift are notices with the reason, of machines each its own', async () => {
  const waived = await render(waivedRun)
  expect(waived.filter(({ name }) => name === 'notice').map(({ data }) => data)).toContain(
    'owner: want root, found nobody; waived until 2026-12-01 by ops@example.com: legal review (SEC-7)',
  )
  const known = await render(comparedRun)
  expect(known.map(({ data }) => data)).toContain('mode: want 0644, found 0664; known since the baseline of 2026-11-19')
  const merged = await render(mergedRun)
  expect(merged.slice(0, 2).map(({ properties }) => properties['title'])).toEqual([
    'drifted (medium): file#/etc/motd on web01',
    'drifted (medium): file#/etc/motd on web02',
  ])
})

test.each([
  ['did not run', invalidRun],
  ['was interrupted', interruptedRun],
  ['evaluated nothing', emptyRun],
])('a scan that %s begins with an error', async (text, run) => {
  const [first] = await render(run)
  expect(first?.name).toBe('error')
  expect(first?.data).toContain(text)
})

test('problems of policies stand at their lines', async () => {
  const commands = await render(invalidRun)
  expect(commands[1]).toEqual({
    name: 'error',
    properties: { file: 'policies/base.yaml', line: '7', col: '11', title: 'driftgate' },
    data: 'unknown key "moed", did you mean "mode"?',
  })
})

test.each([
  ['./policies/a:b,c%.yaml', { file: 'policies/a:b,c%.yaml', line: '4', col: '1' }],
  ['/home/runner/work/a.yaml', { file: '/home/runner/work/a.yaml', line: '4', col: '1' }],
  ['web.tgz!/policy.yaml', { file: 'web.tgz' }],
  ['https://example.com/web.tgz!/policy.yaml', {}],
  ['../a.yaml', {}],
  ['-', {}],
])('%s is annotated where GitHub has it', async (file, place) => {
  const [first] = await render(runWith({ verdict: 'error', message: 'no', source: { file, line: 4, column: 1 } }))
  const { title: _title, ...properties } = first?.properties ?? {}
  expect(properties).toEqual(place)
})

const ATTACKS = [
  'x\n::error::injected',
  'x\r\n::set-output name=a::b',
  'x\r::stop-commands::token',
  '::add-mask::e',
  'x ##[error]injected',
  '##vso[task.setvariable variable=a]b',
  'x%0A::error::injected',
  '\u2028::error::injected',
  'a,file=/etc/passwd,line=1::injected',
]

test.each(ATTACKS)('%j from the machine stays text, wherever it stands', async (attack) => {
  const fields = { id: attack, message: attack, errors: [attack], controls: [attack], path: [attack] }
  const run = runWith(
    { ...fields, verdict: 'error', source: { file: attack, line: 4, column: 1 } },
    {
      ...fields,
      verdict: 'drifted',
      drift: [{ property: attack, desired: attack, observed: attack, note: attack }],
      change: 'cannot',
      changeReason: attack,
    },
  )
  const commands = await render({
    ...run,
    exit: { code: 2, reasons: [attack] },
    problems: [{ message: attack, severity: 'warning' }],
  })
  expect(commands.map(({ name }) => name)).toEqual(['error', 'error', 'warning', 'notice'])
  for (const { properties } of commands)
    expect(Object.keys(properties).every((key) => /^(?:file|line|col|title)$/.test(key))).toBe(true)
  expect(commands.some(({ properties }) => properties['file'] === '/etc/passwd')).toBe(false)
})

test('escaped text is read back unchanged', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 30 }), async (text) => {
      const [first] = await render(runWith({ verdict: 'error', message: `x${text}`, controls: [text] }))
      // Nothing but what a terminal or another CI system would run is changed.
      fc.pre(!text.includes('##['))
      expect(first?.data).toBe(`x${text}`)
      expect(first?.properties['title']).toBe(`error (medium) [${text}]: file#/etc/motd`)
    }),
  )
})

test('each line of every run is one of the three commands', async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryRun, async (run) => {
      for (const name of await namesOf(run)) expect(name).toMatch(/^(?:error|warning|notice)$/)
    }),
    { numRuns: cases({ usual: 40, soak: 1500 }) },
  )
})

test('many hostile texts make one command each', async () => {
  const count = cases({ usual: 1_000, soak: 20_000 })
  const texts = fc.sample(hostileText, { numRuns: count, seed: 20261120 })
  const run = runWith(...texts.map((text) => ({ id: text, message: text, verdict: 'error' as const })))
  expect(await namesOf(run)).toHaveLength(count + 1)
})

test('a run with failures after a fix names the reached properties, too', async () => {
  const commands = await render(fixRun)
  expect(commands.map(({ name, data }) => [name, data]).slice(0, 2)).toEqual([
    ['error', 'mode: want 0750, found 0777; chmod /srv/data: operation not permitted'],
    ['notice', 'owner: fixed, was root, is www'],
  ])
})
