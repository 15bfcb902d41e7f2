import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ResourceResult, Run } from '../../../src/model/run.ts'
import { PLAIN, type RenderOptions } from '../../../src/report/format.ts'
import { renderReport } from '../../../src/report/index.ts'
import { arbitraryRun } from '../../support/arbitrary-run.ts'
import { controlResult, policyResult, resourceResult, runOf } from '../../support/run.ts'
import { auditRun, emptyRun, fixRun, interruptedRun, invalidRun, SAMPLE_RUNS } from '../../support/sample-runs.ts'

const VERBOSE: RenderOptions = { ...PLAIN, verbose: true }

async function linesOf(run: Run, options?: RenderOptions): Promise<readonly string[]> {
  return (await renderReport(run, 'text', options)).split('\n')
}

async function linesAbout(fields: Partial<ResourceResult>): Promise<readonly string[]> {
  const lines = await linesOf(runOf({ policies: [policyResult({ resources: [resourceResult(fields)] })] }))
  return lines.filter((line) => line.startsWith('      ')).map((line) => line.slice(6))
}

test('a whole report', async () => {
  const run = runOf({
    policies: [
      policyResult({
        id: 'web',
        title: 'Web servers',
        version: '2.0',
        source: 'web.yaml',
        resources: [
          resourceResult({
            name: '/etc/nginx.conf',
            verdict: 'drifted',
            change: 'will',
            drift: [
              { property: 'owner', desired: 'root', observed: 'nobody' },
              { property: 'mode', desired: '0600', observed: '0644' },
            ],
            actions: ['Would have updated attributes'],
            message: 'owner: want root, found nobody',
            severity: 'high',
            controls: ['web-01'],
            source: { file: 'web.yaml', line: 12, column: 7 },
          }),
          resourceResult(),
        ],
        controls: [
          controlResult({ id: 'web-01', title: 'Only root configures', severity: 'high', verdict: 'drifted' }),
          controlResult({ id: 'web-2', title: 'A banner', severity: 'low' }),
        ],
      }),
    ],
    exit: { code: 2, reasons: ['1 resource drifted at or above severity info'] },
  })
  expect(await renderReport(run, 'text')).toBe(`\
Audit of web01 (debian 12)

Not compliant: 1 of 3 requirements drifted (1 high)
web: score 53 of 100; 3 requirements: 3 evaluated

Fix these first
  1  high  web-01  Only root configures
     driftgate scan web.yaml --fix --only web-01

web: Web servers (web.yaml, version 2.0)
  controls
    drifted    high  web-01  Only root configures
    compliant  low   web-2   A banner

  drifted  high  file#/etc/nginx.conf  [web-01]  web.yaml:12
      owner: want root  found nobody
      mode:  want 0600  found 0644
      plan:  Would have updated attributes

2 resources: 1 compliant, 1 drifted, exit 2
  1 resource drifted at or above severity info
`)
})

test('children stand below their apply resource, and a quiet manifest is not shown', async () => {
  const path = ['apply#sub.yaml']
  const drift = [{ property: 'resources', desired: '2 compliant', observed: '1 compliant' }]
  const run = runOf({
    policies: [
      policyResult({
        resources: [
          resourceResult({ id: 'apply#quiet.yaml', type: 'apply' }),
          resourceResult({ path: ['apply#quiet.yaml'] }),
          resourceResult({ id: 'apply#planned.yaml', type: 'apply' }),
          resourceResult({ path: ['apply#planned.yaml'], name: '/planned', actions: ['Would have restarted'] }),
          resourceResult({ id: 'apply#sub.yaml', type: 'apply', verdict: 'drifted', drift }),
          resourceResult({ path, name: '/ok' }),
          resourceResult({
            path,
            name: '/off',
            verdict: 'drifted',
            drift: [{ property: 'mode', desired: '0600', observed: '0644' }],
          }),
        ],
        controls: [controlResult({ id: 'c', path, title: 'Below' })],
      }),
    ],
  })
  expect(await renderReport(run, 'text')).toBe(`\
Audit of web01 (debian 12)

Not compliant: 1 of 5 requirements drifted (1 medium)
base: score 80 of 100; 5 requirements: 5 evaluated

Fix these first
  1  medium  apply#sub.yaml > file#/off
     mode: want 0600, found 0644
     driftgate scan policies/base.yaml --fix --only file#/off

base (policies/base.yaml)
  controls
    compliant  medium  c  Below  apply#sub.yaml

  drifted    medium  apply#sub.yaml  policies/base.yaml:4
      resources: want 2 compliant  found 1 compliant

    drifted    medium  file#/off  policies/base.yaml:4
        mode: want 0600  found 0644

  compliant  medium  apply#planned.yaml  policies/base.yaml:4

    compliant  medium  file#/planned  policies/base.yaml:4
        plan: Would have restarted

4 resources: 3 compliant, 1 drifted, exit 0
`)
})

test('the values of a resource stand in columns', async () => {
  const [ensure = '', mode = '', secret = ''] = await linesAbout({
    verdict: 'drifted',
    drift: [
      { property: 'ensure', desired: 'present', observed: 'absent' },
      { property: 'mode', desired: '0600', observed: '0644' },
      { property: 'password', desired: { redacted: true, digest: 'aa' }, observed: { redacted: true, digest: 'bb' } },
    ],
  })
  for (const word of ['want ', 'found ']) {
    expect(mode.indexOf(word)).toBe(ensure.indexOf(word))
    expect(secret.indexOf(word)).toBe(ensure.indexOf(word))
  }
})

test.each<readonly [string, Partial<ResourceResult>, readonly string[]]>([
  [
    'content by digest and size',
    {
      verdict: 'drifted',
      drift: [
        {
          property: 'content',
          desired: { sha256: `${'a'.repeat(63)}b`, sizeBytes: 1 },
          observed: { sha256: `${'c'.repeat(63)}d`, sizeBytes: 20 },
        },
      ],
    },
    ['content: want sha256 aaaaaaaaaaaa, 1 byte  found sha256 cccccccccccc, 20 bytes'],
  ],
  [
    'a value too long for a column, and one that would be invisible',
    { verdict: 'drifted', drift: [{ property: 'banner', desired: '', observed: 'x'.repeat(41) }] },
    ['banner: want  ""', `        found ${'x'.repeat(41)}`],
  ],
  [
    'values that are not text',
    {
      verdict: 'drifted',
      drift: [
        { property: 'enable', desired: true, observed: null },
        { property: 'count', desired: 3, observed: 0 },
      ],
    },
    ['enable: want true  found nothing', 'count:  want 3     found 0'],
  ],
  [
    'the diff and the note of a drift below it',
    {
      verdict: 'drifted',
      drift: [{ property: 'content', desired: 'b', observed: 'a', note: 'one line', diff: '@@ -1 +1 @@\n-a\n+b\n' }],
    },
    ['content: want b  found a', '         note: one line', '         @@ -1 +1 @@', '         -a', '         +b'],
  ],
  [
    'the file inside the resource',
    { verdict: 'drifted', drift: [{ property: 'content', path: 'conf/a b', desired: 'x', observed: 'y' }] },
    ['content conf/a b: want x  found y'],
  ],
  [
    'an obstacle of a fix and its reason',
    {
      verdict: 'drifted',
      change: 'cannot',
      changeReason: 'there is no user "app"',
      drift: [{ property: 'owner', desired: 'app', observed: 'root' }],
    },
    ['owner:  want app  found root', 'change: cannot, there is no user "app"'],
  ],
  [
    'an obstacle whose reason is a full sentence',
    {
      verdict: 'drifted',
      change: 'cannot',
      changeReason: 'cannot remove /srv/x: it is a mount point',
      drift: [{ property: 'ensure', desired: 'absent', observed: 'present' }],
    },
    ['ensure: want absent  found present', 'change: cannot remove /srv/x: it is a mount point'],
  ],
  [
    'an unreadable property beside a drift',
    {
      verdict: 'drifted',
      drift: [{ property: 'mode', desired: '0600', observed: '0644' }],
      unknown: [{ property: 'content', reason: 'permission-denied', detail: 'open failed' }],
    },
    ['mode:    want 0600  found 0644', 'unknown: content (permission-denied): open failed'],
  ],
  [
    'an error with its reason, each sentence once',
    { verdict: 'error', reason: 'timeout', message: 'no answer', errors: ['no answer', 'killed after 5s'] },
    ['error: timeout: no answer', 'error: killed after 5s'],
  ],
  ['an error that only has a reason', { verdict: 'error', reason: 'internal' }, ['error: internal']],
  [
    'the blocking resources',
    { verdict: 'blocked', blockedBy: ['file#/a', 'file#/b'] },
    ['blocked by: file#/a, file#/b'],
  ],
  [
    'the blocking resource, once',
    { verdict: 'blocked', blockedBy: ['file#/a'], message: 'requires file#/a, which is error' },
    ['blocked: requires file#/a, which is error'],
  ],
  [
    'why it is waived, and the drift',
    { verdict: 'waived', message: 'until 2027', drift: [{ property: 'mode', desired: 1, observed: 2 }] },
    ['mode:   want 1  found 2', 'reason: until 2027'],
  ],
  [
    'the fixed properties',
    { verdict: 'fixed', drift: [{ property: 'mode', desired: '1', observed: '2' }], actions: ['Updated attributes'] },
    ['mode: want 1  found 2', 'done: Updated attributes'],
  ],
  [
    'the remaining drift of a failed fix',
    {
      verdict: 'fix-failed',
      drift: [{ property: 'mode', desired: '1', observed: '2' }],
      remaining: [{ property: 'mode', desired: '1', observed: '2' }],
      errors: ['chmod: not permitted'],
      message: 'chmod: not permitted',
    },
    ['mode:    want 1  found 2', 'remains: mode: want 1, found 2', 'error:   chmod: not permitted'],
  ],
  ['why a fix failed when nothing else says it', { verdict: 'fix-failed', message: 'refused' }, ['error: refused']],
  ['why it drifted when no property says it', { verdict: 'drifted', message: 'would run' }, ['drift: would run']],
  [
    'the output of a command, each line on its own',
    { verdict: 'fixed', actions: ['Executed'], output: '\n  out\u001b[2J\n\nend\n\n' },
    ['done:   Executed', 'output: ', String.raw`          out\x1b[2J`, '        ', '        end'],
  ],
  [
    "the beginning and the end of a command's output",
    { verdict: 'fixed', output: Array.from({ length: 1000 }, (_, index) => `${index}\n`).join('') },
    [
      'output: 0',
      ...[1, 2, 3, 4, 5, 6, 7, 8, 9].map((line) => `        ${line}`),
      '        [960 lines omitted]',
      ...Array.from({ length: 30 }, (_, index) => `        ${index + 970}`),
    ],
  ],
  [
    'the beginning of a long line of a command',
    { verdict: 'fixed', output: 'x'.repeat(501) },
    [`output: ${'x'.repeat(500)}…`],
  ],
  ['nothing of a command that wrote only line feeds', { verdict: 'fixed', output: '\n\n' }, []],
  [
    'the planned reaction of a compliant resource to a change',
    { actions: ['Would have restarted via subscribe'] },
    ['plan: Would have restarted via subscribe'],
  ],
  ['nothing about a compliant resource', {}, []],
])('a resource shows %s', async (_case, fields, expected) => {
  expect(await linesAbout(fields)).toEqual(expected)
})

test('compliant resources are listed on request, or where something is planned for them', async () => {
  const quiet = await linesOf(auditRun)
  expect(quiet.some((line) => line.includes('file#/etc/passwd'))).toBe(false)
  expect(quiet).toContain('      plan: Would have restarted via subscribe')
  expect(await linesOf(auditRun, VERBOSE)).toContainEqual(
    expect.stringMatching(/^ {2}compliant +medium +file#\/etc\/passwd {2}policies\/ssh.yaml:70$/),
  )
})

test('resources that do not apply share a line, and have their reasons on request', async () => {
  const resources = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) =>
    resourceResult({ name, verdict: 'not-applicable', message: `no ${name}` }),
  )
  const run = runOf({ policies: [policyResult({ resources })] })
  expect(await linesOf(run)).toContain('  not-applicable  file#a, file#b, file#c, file#d, file#e, and 2 more')
  expect(await linesOf(run, VERBOSE)).toContain('      reason: no g')
})

test.each<readonly [string, Run, string]>([
  [
    'an audit',
    auditRun,
    '11 resources: 4 compliant, 3 drifted, 1 error, 1 blocked, 1 not-applicable, 1 waived, exit 2',
  ],
  ['a fix', fixRun, '2 resources: 1 fixed, 1 fix-failed, exit 4'],
  ['one resource', runOf(), '1 resource: 1 compliant, exit 0'],
  ['a scan that was not performed', invalidRun, 'nothing was evaluated, exit 1'],
  ['controls that ruled everything out', emptyRun, '1 resource: 1 not-applicable, exit 5'],
  ['an interrupted scan', interruptedRun, 'interrupted: some resources are missing from this report'],
])('%s is summed up in a line, with the reasons of the exit code', async (_case, run, expected) => {
  const lines = await linesOf(run)
  expect(lines).toContain(expected)
  expect(lines).toEqual(expect.arrayContaining(run.exit.reasons.map((reason) => `  ${reason}`)))
})

test('an invalid policy shows its problems with carets and nothing that looks like a result', async () => {
  expect(await renderReport(invalidRun, 'text'))
    .toBe(String.raw`policies/base.yaml:7:11 unknown key "moed", did you mean "mode"?
  7 |           moed: "0644"
    |           ^
policies/base.yaml:9:3 tabs cannot indent
  9 | \t\tmode: "0644"
    |     ^
cannot read policies/missing.yaml: no such file

nothing was evaluated, exit 1
  the policies have 3 problems
`)
})

test('the caret of a long line stays near its text', async () => {
  const sourceLine = `${'a'.repeat(400)}!${'b'.repeat(400)}`
  const position = { file: 'p.yaml', line: 3, column: 401 }
  const run = runOf({ policies: [], problems: [{ message: 'no', severity: 'error', position, sourceLine }] })
  const [, excerpt = '', caret = ''] = await linesOf(run)
  expect(excerpt.length).toBeLessThan(120)
  expect(excerpt[caret.indexOf('^')]).toBe('!')
})

test('colour is paint alone: without it every word is still there', async () => {
  const paint: RenderOptions['paint'] = (tone, text) => `<${tone}>${text}</>`
  for (const [, run] of SAMPLE_RUNS) {
    const painted = await renderReport(run, 'text', { ...PLAIN, paint })
    expect(painted).toMatch(/<good>|<bad>/)
    expect(painted.replace(/<(?:good|bad|warn|dim|strong|\/)>/g, '')).toBe(await renderReport(run, 'text'))
  }
})

test('nothing invisible but line feeds reaches the terminal, and no CI command', async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryRun, fc.boolean(), async (run, verbose) => {
      const report = await renderReport(run, 'text', { ...PLAIN, verbose })
      expect(report.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u)
      expect(report).not.toMatch(/^\s*::\w/m)
      expect(report).not.toMatch(/##(?:vso)?\[/i)
      expect(report.endsWith('\n')).toBe(true)
    }),
  )
})

test('ten thousand compliant resources take a handful of lines', async () => {
  const resources = Array.from({ length: 10_000 }, (_, index) => resourceResult({ name: `/srv/${index}` }))
  const lines = await linesOf(runOf({ policies: [policyResult({ resources })] }))
  expect(lines).toContain('  all 10000 resources are compliant')
  expect(lines.length).toBeLessThan(12)
})
