import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ControlResult, PolicyResult, ResourceResult, Run } from '../../../src/model/run.ts'
import { SEVERITIES, VERDICTS } from '../../../src/model/verdict.ts'
import { PLAIN, type RenderOptions } from '../../../src/report/format.ts'
import { renderReport } from '../../../src/report/index.ts'
import { controlResult, policyResult, resourceResult, runOf } from '../../support/run.ts'

async function linesOf(run: Run, options: Partial<RenderOptions> = {}): Promise<readonly string[]> {
  return (await renderReport(run, 'text', { ...PLAIN, ...options })).trimEnd().split('\n')
}

const drift = [{ property: 'mode', desired: '0600', observed: '0644' }]

test('a report begins with the answer, the score, the coverage and the first priorities', async () => {
  const of = (id: string, fields: Partial<ResourceResult>): ResourceResult =>
    resourceResult({ name: `/${id}`, controls: [id], severity: 'high', ...fields })
  const run = runOf({
    policies: [
      policyResult({
        id: 'ssh',
        source: '@ssh',
        skipped: 2,
        resources: [
          of('s-1', { severity: 'low', verdict: 'drifted', change: 'will', drift }),
          of('s-2', {}),
          of('s-3', { verdict: 'error', reason: 'permission-denied', message: 'permission denied' }),
          of('s-4', { verdict: 'drifted', change: 'cannot', changeReason: 'there is no group ssh', drift }),
        ],
        controls: [
          controlResult({ id: 's-1', severity: 'low', verdict: 'drifted', title: 'A banner', remediation: 'Add one.' }),
          controlResult({ id: 's-2', severity: 'high' }),
          controlResult({ id: 's-3', severity: 'high', verdict: 'error', title: 'Keys are secret' }),
          controlResult({ id: 's-4', severity: 'high', verdict: 'drifted', title: 'Only ssh may', remediation: 'Do.' }),
          controlResult({ id: 's-5', severity: 'low', verdict: 'not-evaluated', resources: [] }),
        ],
      }),
    ],
  })
  // Met is one of high (7); counted are low (3) and three of high (21).
  expect((await linesOf(run)).slice(0, 27)).toEqual([
    'Audit of web01 (debian 12)',
    '',
    'Not compliant: 2 of 5 controls drifted (1 high, 1 low), 1 unknown',
    'ssh: score 29 of 100; 7 controls: 3 evaluated, 1 manual (needs review), 1 unknown, 2 skipped',
    '',
    'Fix these first',
    '  1  high  s-4  Only ssh may',
    '     Do.',
    '     no fix: there is no group ssh',
    '  2  low  s-1  A banner',
    '     Add one.',
    '     driftgate scan @ssh --fix --only s-1',
    '  3  high  s-3  Keys are secret',
    '     permission denied',
    '',
    'Unknown',
    '  1 control: permission denied',
    '     Run the scan as root.',
    '     sudo driftgate scan @ssh',
    '',
    'ssh (@ssh)',
    '  controls',
    '    drifted        high  s-4  Only ssh may',
    '        remediation: Do.',
    '    drifted        low   s-1  A banner',
    '        remediation: Add one.',
    '    error          high  s-3  Keys are secret',
  ])
})

test('unknown results are grouped by cause, each with advice, the largest group first', async () => {
  const unknown = (id: string, fields: Partial<ResourceResult>): ResourceResult =>
    resourceResult({ name: `/${id}`, verdict: 'error', reason: 'not-observable', ...fields })
  const detail = 'systemd does not run here'
  const because = (text: string): Partial<ResourceResult> => ({
    unknown: [{ property: 'active', reason: 'not-observable', detail: text }],
  })
  const denied = [{ property: 'entries', reason: 'permission-denied' as const, detail: '/root: permission denied' }]
  const resources = [
    unknown('a', because(detail)),
    unknown('b', because(`chrony: ${detail}`)),
    unknown('c', { reason: 'permission-denied', message: '/etc/shadow: permission denied' }),
    unknown('d', { unknown: denied }),
    unknown('e', { reason: 'permission-denied', message: '/etc/gshadow: permission denied' }),
    unknown('f', { verdict: 'blocked', message: 'requires file#/a, which is error' }),
  ]
  const linesWith = async (fields: Partial<PolicyResult>): Promise<readonly string[]> => {
    const lines = await linesOf(runOf({ policies: [policyResult({ source: 'a b.yaml', resources, ...fields })] }))
    return lines.slice(lines.indexOf('Unknown'), lines.indexOf('', lines.indexOf('Unknown')))
  }
  const others = [
    '  2 resources: systemd does not run here',
    '     Provide what is missing; driftgate doctor lists the limits of a host.',
    '  1 resource: requires file#/a, which is error',
    '     Resolve the results that block these.',
  ]
  expect(await linesWith({})).toEqual([
    'Unknown',
    '  3 resources: permission denied',
    '     Run the scan as root.',
    `     sudo driftgate scan 'a b.yaml'`,
    ...others,
  ])
  // The report does not have the value of a secret option.
  expect((await linesWith({ inputs: ['--set='] })).slice(2, 4)).toEqual(['     Run the scan as root.', others[0]])
})

test('a control is unknown for the reason of its unknown resource', async () => {
  const resources = [
    resourceResult({ name: '/a', controls: ['c'] }),
    resourceResult({ name: '/b', controls: ['c'], verdict: 'error', reason: 'timeout', message: 'too slow' }),
  ]
  const controls = [controlResult({ id: 'c', verdict: 'error', resources: ['file#/a', 'file#/b'] })]
  const lines = await linesOf(runOf({ policies: [policyResult({ resources, controls })] }))
  const at = lines.indexOf('Unknown')
  expect(lines.slice(at + 1, at + 3)).toEqual(['  1 control: too slow', '     Scan again when the host is less busy.'])
})

test.each([
  [8, []],
  [9, ['and 1 policy with no lower score']],
  [10, ['and 2 policies with no lower score']],
])('of %i policies eight have their scores in the overview', async (count, rest) => {
  const policies = Array.from({ length: count }, (_, index) =>
    policyResult({ id: `p${index}`, source: `${index}.yaml` }),
  )
  const lines = await linesOf(runOf({ policies }))
  const overview = lines.slice(0, lines.indexOf('', 2))
  expect(overview.filter((line) => /: (?:no score|score \d+ of 100); /.test(line))).toHaveLength(8)
  expect(overview.filter((line) => line.startsWith('and '))).toEqual(rest)
})

test('a long report on a screen lists controls, and resources without a control; the others on request', async () => {
  const control = (index: number, verdict: ControlResult['verdict']): ControlResult =>
    controlResult({ id: `c-${index}`, title: `Control ${index}`, verdict, resources: [`file#/${index}`] })
  const verdictOf = (index: number): 'drifted' | 'error' => (index < 20 ? 'drifted' : 'error')
  const numbers = Array.from({ length: 30 }, (_, index) => index)
  const resources = numbers.map((index) =>
    resourceResult({
      name: `/${index}`,
      controls: [`c-${index}`],
      verdict: verdictOf(index),
      ...(index < 20
        ? { drift: [{ property: 'mode', desired: '0600', observed: `${index}` }] }
        : { message: 'denied' }),
    }),
  )
  const alone = resourceResult({ name: '/alone', verdict: 'drifted', drift })
  const controls = numbers.map((index) => control(index, verdictOf(index)))
  const run = runOf({ policies: [policyResult({ resources: [...resources, alone], controls })] })
  const lines = await linesOf(run, { brief: true })
  const count = (pattern: RegExp): number => lines.filter((line) => pattern.test(line)).length
  expect(count(/^ {4}drifted {2}medium {2}c-\d+ +Control/)).toBe(20)
  expect(count(/^ {4}error/)).toBe(0)
  expect(lines.filter((line) => /^ {2}(?:drifted|error) /.test(line))).toEqual([
    '  drifted  medium  file#/alone  policies/base.yaml:4',
  ])
  expect(lines).toContain('    10 unknown, listed with --verbose')
  expect(lines).toContain('  30 more resources (20 drifted, 10 error), listed with --details')
  const short = runOf({
    policies: [policyResult({ resources: resources.slice(0, 2), controls: controls.slice(0, 2) })],
  })
  expect(await linesOf(short, { brief: true })).toEqual(await linesOf(short))
  const fix = { ...run, run: { ...run.run, mode: 'fix' as const } }
  expect(await linesOf(fix, { brief: true })).toEqual(await linesOf(fix))
})

test('a long title continues below its beginning', async () => {
  const title = 'Permissions on the private keys of the server are 0600 or stricter'
  const run = runOf({ policies: [policyResult({ controls: [controlResult({ id: 'c-1', title })] })] })
  const lines = await linesOf(run, { width: 60 })
  const start = lines.findIndex((line) => line.includes('c-1  Permissions'))
  expect(lines[start + 1]?.search(/\S/)).toBe(lines[start]?.indexOf('Permissions'))
})

test('a compliant run says so and has nothing to do first', async () => {
  expect((await linesOf(runOf())).slice(0, 5)).toEqual([
    'Audit of web01 (debian 12)',
    '',
    'Compliant: no drift',
    'base: score 100 of 100; 1 resource: 1 evaluated',
    '',
  ])
})

test('each of several machines has its score, and the first priorities name the machine', async () => {
  const origin = (hostname: string): NonNullable<PolicyResult['origin']> => ({
    runId: hostname,
    mode: 'audit',
    startedAt: '2026-11-20T12:00:00.000Z',
    target: { kind: 'local', hostname, os: { id: 'debian', version: '12' } },
  })
  const run = runOf({
    target: { kind: 'merged', hostname: 'fleet', os: { id: '', version: '' } },
    policies: [
      policyResult({ origin: origin('web01') }),
      policyResult({
        origin: origin('web02'),
        resources: [resourceResult({ verdict: 'drifted', change: 'will', drift })],
      }),
    ],
  })
  const lines = await linesOf(run)
  expect(lines).toContain('base on 2 hosts: score 50 of 100; 2 resources: 2 evaluated')
  expect(lines).toContain('  a web01  score 100 of 100, none of 1 failing')
  expect(lines).toContain('  b web02  score 0 of 100, 1 of 1 failing')
  expect(lines).toContain('  1  medium  file#/etc/motd  on web02')
})

test('resources that differ alike share a block, unless all is asked for', async () => {
  const resources = Array.from({ length: 20 }, (_, index) =>
    resourceResult({ name: `/${index}`, verdict: 'drifted', drift, controls: [`c-${index}`] }),
  )
  const run = runOf({ policies: [policyResult({ resources })] })
  const lines = await linesOf(run)
  expect(lines.filter((line) => line.includes('mode: want 0600  found 0644'))).toHaveLength(1)
  expect(lines).toContainEqual(
    expect.stringMatching(
      /^ {2}drifted {2}medium {2}20 identical results: file#\/0 \[c-0\], .*file#\/11 \[c-11\], 8 more$/,
    ),
  )
  const all = await linesOf(run, { verbose: true })
  expect(all.filter((line) => line.includes('mode: want 0600  found 0644'))).toHaveLength(20)
})

/** A thousand drifts, so that nothing is like anything else: in one policy, in twenty, below apply resources, in one resource. */
function thousand(): readonly (readonly [name: string, run: Run])[] {
  const severity = (index: number): ResourceResult['severity'] => SEVERITIES[index % SEVERITIES.length] ?? 'low'
  const resource = (index: number): ResourceResult =>
    resourceResult({
      name: `/srv/data/number-${index}`,
      verdict: 'drifted',
      severity: severity(index),
      controls: [`c-${index}`],
      drift: [{ property: 'owner', desired: 'root', observed: `user-${index}` }],
      actions: [`would set the owner of number ${index}`],
    })
  const control = (index: number): ControlResult =>
    controlResult({
      id: `c-${index}`,
      title: `What number ${index} of a thousand asks for`,
      severity: severity(index),
      verdict: 'drifted',
      remediation: `Give number ${index} to root, and look at who had it before.`,
      resources: [`file#/srv/data/number-${index}`],
    })
  const numbers = Array.from({ length: 1000 }, (_, index) => index)
  const policy = (own: readonly number[]): PolicyResult =>
    policyResult({ resources: own.map(resource), controls: own.map(control) })
  const below = numbers.flatMap((index) => [
    resourceResult({ id: `apply#${index}`, type: 'apply', verdict: 'drifted' }),
    { ...resource(index), path: [`apply#${index}`] },
  ])
  const many = numbers.map((index) => ({ property: 'mode', path: `f${index}`, desired: '1', observed: `${index}` }))
  return [
    ['one policy', runOf({ policies: [policy(numbers)] })],
    [
      'twenty policies',
      runOf({ policies: Array.from({ length: 20 }, (_, part) => policy(numbers.filter((n) => n % 20 === part))) }),
    ],
    ['below apply resources', runOf({ policies: [policyResult({ resources: below })] })],
    [
      'one resource',
      runOf({ policies: [policyResult({ resources: [resourceResult({ verdict: 'drifted', drift: many })] })] }),
    ],
  ]
}

test.each(thousand())(
  'a thousand drifts in %s take less than 300 lines, and the others are counted',
  async (_, run) => {
    for (const width of [undefined, 40, 60, 80, 120]) {
      const lines = await linesOf(run, width === undefined ? {} : { width })
      expect(lines.length, `${width} columns`).toBeLessThan(300)
      const text = lines.join(' ').replaceAll(/\s+/g, ' ')
      expect(text).toMatch(/\d+ more (?:resources \(\d+ drifted\), listed|lines) with --verbose/)
    }
  },
)

test('shown and omitted resources add up to all, and the worst are shown', async () => {
  const [[, run] = ['', runOf()]] = thousand()
  const text = (await linesOf(run)).join('\n')
  const shown = text.match(/^ {2}drifted +critical +file#/gm) ?? []
  const [, left = ''] = /(\d+) more resources \(\d+ drifted\), listed with --verbose/.exec(text) ?? []
  expect(shown.length).toBeGreaterThan(20)
  expect(text.match(/^ {2}drifted +(?:high|medium|low|info) /gm)).toBeNull()
  expect(shown.length + Number(left)).toBe(1000)
  const all = (await linesOf(run, { verbose: true })).filter((line) => /^ {2}drifted +\w+ +file#/.test(line))
  expect(all).toHaveLength(1000)
})

const word = fc.stringMatching(/^[a-zA-Z0-9/._-]{1,30}$/)
const sentence = fc.array(word, { minLength: 1, maxLength: 25 }).map((words) => words.join(' '))
const value = fc.oneof(word, sentence, fc.integer(), fc.boolean(), fc.constant(null))

/** A run as it comes from a machine: names are words, explanations sentences. */
const plausibleRun: fc.Arbitrary<Run> = fc
  .array(
    fc.record({
      id: word,
      title: sentence,
      severity: fc.constantFrom(...SEVERITIES),
      verdict: fc.constantFrom(...VERDICTS),
      change: fc.constantFrom('will' as const, 'may' as const, 'cannot' as const),
      changeReason: sentence,
      message: sentence,
      remediation: sentence,
      drift: fc.array(fc.record({ property: word, desired: value, observed: value, note: sentence }), { maxLength: 4 }),
      unknown: fc.array(fc.record({ property: word, reason: fc.constant('timeout' as const), detail: sentence }), {
        maxLength: 1,
      }),
      warnings: fc.array(sentence, { maxLength: 1 }),
    }),
    { minLength: 1, maxLength: 20 },
  )
  .map((found) =>
    runOf({
      notes: found.slice(0, 2).map(({ message }) => message),
      policies: [
        policyResult({
          title: found[0]?.title ?? '',
          resources: found.map(({ id, title: _title, remediation: _remediation, ...fields }) =>
            resourceResult({ ...fields, name: id, controls: [id] }),
          ),
          controls: found.map(({ id, title, severity, verdict, remediation }) =>
            controlResult({ id, title, severity, verdict, remediation, description: title }),
          ),
        }),
      ],
    }),
  )

test('no line is wider than the screen, except a single long word', async () => {
  await fc.assert(
    fc.asyncProperty(plausibleRun, fc.integer({ min: 40, max: 200 }), fc.boolean(), async (run, width, verbose) => {
      const wide = (await linesOf(run, { width, verbose })).filter((line) => line.length > width)
      expect(wide.filter((line) => line.trim().includes(' '))).toEqual([])
    }),
    { numRuns: 150 },
  )
})

test('a command that is broken is one command to a shell', async () => {
  const policy = policyResult({
    source: 'policies/a rather long name of a policy file.yaml',
    resources: [resourceResult({ name: '/srv/a b', verdict: 'drifted', change: 'will', drift })],
  })
  const lines = await linesOf(runOf({ policies: [policy] }), { width: 40 })
  const start = lines.findIndex((line) => line.includes('driftgate scan'))
  expect(lines.slice(start, start + 3)).toEqual([
    String.raw`     driftgate scan \ `.trimEnd(),
    String.raw`       'policies/a rather long name of a policy file.yaml' \ `.trimEnd(),
    `       --fix --only 'file#/srv/a b'`,
  ])
})

test.each([
  { verbose: false, lines: 10, last: '  2 more resolved, listed with --verbose' },
  { verbose: true, lines: 12, last: undefined },
])('of what a baseline has and the run has not, ten are listed, or all on request ($lines)', async (row) => {
  const resolved = Array.from({ length: 12 }, (_, index) => ({
    policy: 'base',
    resource: `file#/${index}`,
    property: 'mode',
    fingerprint: `${index}`,
    severity: 'high' as const,
    desired: '0600',
    observed: '0644',
  }))
  const counts = { new: 0, changed: 0, unchanged: 0, resolved: 12, incomparable: 0 }
  const baseline = {
    source: 'b.json',
    runId: '1',
    startedAt: '2026-11-01T00:00:00Z',
    counts,
    resolved,
    incomparable: [],
  }
  const lines = await linesOf(runOf({ baseline }), { verbose: row.verbose })
  expect(lines.filter((line) => /^  resolved .*: wanted 0600, found 0644$/.test(line))).toHaveLength(row.lines)
  expect(lines.find((line) => line.includes('more resolved'))).toBe(row.last)
})
