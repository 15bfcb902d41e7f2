import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Run } from '../../../src/model/run.ts'
import type { Severity } from '../../../src/model/verdict.ts'
import { renderReport } from '../../../src/report/index.ts'
import { arbitraryRun } from '../../support/arbitrary-run.ts'
import { comparedRun, mergedRun, waivedRun } from '../../support/format-runs.ts'
import { runOf, runWith } from '../../support/run.ts'
import { auditRun, emptyRun, fixRun, interruptedRun, invalidRun } from '../../support/sample-runs.ts'
import { cases } from '../../support/soak.ts'

interface Issue {
  readonly description: string
  readonly check_name: string
  readonly fingerprint: string
  readonly severity: string
  readonly location: { readonly path: string; readonly lines: { readonly begin: number } }
}

async function render(run: Run): Promise<readonly Issue[]> {
  const issues: unknown = JSON.parse(await renderReport(run, 'gitlab'))
  if (!Array.isArray(issues)) throw new Error('GitLab reads a list')
  for (const issue of issues) expectIssue(issue)
  return issues as readonly Issue[]
}

/** The fields GitLab documents as required, and that paths are relative and without `./`. */
function expectIssue(issue: unknown): void {
  expect(issue).toEqual({
    type: 'issue',
    categories: ['Security'],
    description: expect.any(String),
    check_name: expect.any(String),
    fingerprint: expect.stringMatching(/^[\da-f]+$/),
    severity: expect.stringMatching(/^(?:info|minor|major|critical|blocker)$/),
    location: { path: expect.stringMatching(/^(?!\.\/|\/|[a-z]+:\/\/)[^]+$/), lines: { begin: expect.any(Number) } },
  })
}

const drift = [{ property: 'mode', desired: '0600', observed: '0644', fingerprint: 'aa' }]

test('every drift, undecided resource and failed fix is an issue', async () => {
  const issues = await render(auditRun)
  // One warning about the policy, ten drifts of three resources, an error and something blocked.
  expect(issues).toHaveLength(13)
  expect(issues[1]).toEqual({
    type: 'issue',
    categories: ['Security'],
    description:
      'file#/etc/ssh/keys/host.key: ensure: want present, found absent; a fix may change it: ' +
      'the directory /etc/ssh/keys is created by file#/etc/ssh/keys; ' +
      'description: Nobody else may read or write the configuration.; ' +
      'remediation: Run chmod 0600 /etc/ssh/sshd_config; references: nist-800-53 AC-3; cis-debian-12 5.1.1',
    check_name: 'ssh.hardening/ssh-02',
    fingerprint: expect.any(String),
    severity: 'blocker',
    location: { path: 'policies/ssh.yaml', lines: { begin: 22 } },
  })
  expect(issues.slice(-2).map(({ description }) => description)).toEqual([
    'file#/etc/shadow: cannot read /etc/shadow: permission denied; run as root to see it',
    'file#/etc/shadow-: requires file#/etc/shadow, which is error',
  ])
})

test.each<readonly [Severity, string]>([
  ['info', 'info'],
  ['low', 'minor'],
  ['medium', 'major'],
  ['high', 'critical'],
  ['critical', 'blocker'],
])('severity %s is %s', async (severity, expected) => {
  const [issue] = await render(runWith({ verdict: 'drifted', drift, severity }))
  expect(issue?.severity).toBe(expected)
})

test('waived, fixed, compliant and not applicable resources are no issues; known drift of a baseline is one', async () => {
  expect((await render(waivedRun)).map(({ fingerprint }) => fingerprint)).toEqual(['b2'])
  expect((await render(fixRun)).map(({ description }) => description)).toEqual([
    'file#/srv/data: mode: want 0750, found 0777; chmod /srv/data: operation not permitted',
  ])
  expect((await render(comparedRun)).map(({ fingerprint }) => fingerprint)).toEqual(['c2', 'c3', 'c4', 'c1'])
  expect(await render(runOf())).toEqual([])
})

test('the fingerprint survives other values and lines', async () => {
  const [before] = await render(runWith({ verdict: 'error', reason: 'timeout', message: 'after 5 s' }))
  const moved = { file: 'policies/base.yaml', line: 99, column: 1 }
  const [after] = await render(runWith({ verdict: 'error', reason: 'timeout', message: 'after 6 s', source: moved }))
  expect(after?.fingerprint).toBe(before?.fingerprint)
})

test('findings that are alike in all but their place are issues of their own, the same ones in every run', async () => {
  const twice = { verdict: 'drifted', drift: [...drift, ...drift] } as const
  const [first, second, third, ...others] = (await render(runWith(twice, { verdict: 'drifted', drift }))).map(
    ({ fingerprint }) => fingerprint,
  )
  expect([first, others]).toEqual(['aa', []])
  expect(new Set([first, second, third]).size).toBe(3)
  const shorter = await render(runWith(twice))
  expect(shorter.map(({ fingerprint }) => fingerprint)).toEqual([first, second])
})

test('the same drift of two machines is two issues', async () => {
  const issues = await render(mergedRun)
  expect(new Set(issues.map(({ fingerprint }) => fingerprint)).size).toBe(2)
  expect(issues.map(({ description }) => description)).toEqual([
    'web01: file#/etc/motd: mode: want 0644, found 0664',
    'web02: file#/etc/motd: mode: want 0644, found 0664',
  ])
})

test.each([
  ['./policies//a.yaml', 'policies/a.yaml', 4],
  ['/etc/driftgate/a.yaml', 'a.yaml', 4],
  ['../secret/a.yaml', 'a.yaml', 4],
  ['-', 'stdin', 4],
  ['web.tgz!/policy.yaml', 'web.tgz', 1],
  ['https://example.com/web.tgz!/policy.yaml', 'example.com/web.tgz', 1],
])('%s is at a path that GitLab takes', async (file, path, begin) => {
  const [issue] = await render(runWith({ verdict: 'drifted', drift, source: { file, line: 4, column: 1 } }))
  expect(issue?.location).toEqual({ path, lines: { begin } })
})

test.each([
  ['did not run', invalidRun, ['blocker', 'blocker', 'blocker', 'blocker']],
  ['was interrupted', interruptedRun, ['blocker']],
  ['evaluated nothing', emptyRun, ['blocker']],
])('a scan that %s is no empty list', async (text, run, severities) => {
  const issues = await render(run)
  expect(issues[0]?.description).toContain(text)
  expect(issues.map(({ severity }) => severity)).toEqual(severities)
})

test('GitLab can read every run and collapses no issues of a resource', async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryRun, async (run) => {
      const issues = (await render(run)).filter(({ check_name: name }) => name !== 'driftgate/scan')
      expect(new Set(issues.map(({ fingerprint }) => fingerprint)).size).toBe(issues.length)
    }),
    { numRuns: cases({ usual: 30, soak: 1000 }) },
  )
})
