import type { PolicyResult, ResourceResult, Run } from '../../src/model/run.ts'
import type { Verdict } from '../../src/model/verdict.ts'
import type { TrendPoint } from '../../src/report/format.ts'
import { controlResult, policyResult, resourceResult, runOf } from './run.ts'
import { auditRun } from './sample-runs.ts'

const [ssh, base] = auditRun.policies
if (ssh === undefined || base === undefined) throw new Error('the sample has two policies')

const accounts: PolicyResult = policyResult({
  id: 'accounts',
  title: 'Accounts and services',
  version: '0.4.0',
  source: 'policies/accounts.yaml',
  resources: [
    resourceResult({
      name: '/etc/login.defs',
      verdict: 'drifted',
      change: 'will',
      drift: [
        { property: 'mode', desired: '0644', observed: '0666', fingerprint: 'aa', baseline: 'unchanged' },
        { property: 'owner', desired: 'root', observed: 'deploy', fingerprint: 'ab', baseline: 'unchanged' },
      ],
      actions: ['Would have updated attributes'],
      controls: ['acc-01'],
      source: { file: 'policies/accounts.yaml', line: 9, column: 11 },
    }),
    resourceResult({
      name: '/etc/sudoers.d/deploy',
      verdict: 'drifted',
      severity: 'high',
      change: 'will',
      drift: [{ property: 'ensure', desired: 'absent', observed: 'present', fingerprint: 'ac', baseline: 'new' }],
      actions: ['Would have removed the file'],
      controls: ['acc-01'],
      source: { file: 'policies/accounts.yaml', line: 17, column: 11 },
    }),
    resourceResult({
      name: '/etc/issue.net',
      verdict: 'waived',
      severity: 'low',
      message: 'until 2026-12-31 by ops: banner is under legal review',
      drift: [{ property: 'mode', desired: '0644', observed: '0664', fingerprint: 'ad', waiver: 'banner-review' }],
      waivers: [
        {
          id: 'banner-review',
          reason: 'The banner is under legal review.\nNobody may change it before that.',
          approver: 'Jane Doe',
          expires: '2026-12-31',
          ticket: 'https://tickets.example/OPS-17',
          state: 'in-force',
          covers: ['mode'],
        },
      ],
      source: { file: 'policies/accounts.yaml', line: 25, column: 11 },
    }),
    resourceResult({
      id: 'service#cron',
      type: 'service',
      name: 'cron',
      provider: 'systemd',
      verdict: 'error',
      reason: 'command',
      message: 'the health check "queue" could not tell',
      errors: ['queue: cannot connect'],
      health: [
        {
          name: 'queue',
          status: 'UNKNOWN',
          attempts: [
            { status: 'UNKNOWN', output: '', trouble: 'timeout', durationMs: 5000 },
            { status: 'UNKNOWN', exitCode: 3, output: 'cannot connect', durationMs: 12 },
          ],
        },
        { name: 'alive', status: 'OK', attempts: [{ status: 'OK', exitCode: 0, output: 'alive', durationMs: 3 }] },
      ],
      source: { file: 'policies/accounts.yaml', line: 31, column: 11 },
    }),
    resourceResult({
      id: 'apply#extra.yaml',
      type: 'apply',
      name: 'extra.yaml',
      source: { file: 'policies/accounts.yaml', line: 40, column: 11 },
    }),
    resourceResult({
      name: '/etc/extra',
      path: ['apply#extra.yaml'],
      source: { file: 'policies/extra.yaml', line: 4, column: 11 },
      controls: ['acc-02'],
    }),
  ],
  controls: [
    controlResult({
      id: 'acc-01',
      title: 'Nobody becomes root without a reason that is written down somewhere people can find it',
      severity: 'high',
      description: 'Rules of sudo are reviewed.\n\nThose of former projects are removed.',
      remediation: 'Remove the file and tell its owner.',
      references: { 'nist-800-53': ['AC-6', 'AC-6(5)'], handbook: ['https://handbook.example/sudo?a=1&b=2'] },
      tags: ['sudo', 'accounts'],
      verdict: 'drifted',
      resources: ['file#/etc/login.defs', 'file#/etc/sudoers.d/deploy'],
    }),
    controlResult({ id: 'acc-02', path: ['apply#extra.yaml'], resources: ['file#/etc/extra'] }),
  ],
})

/** A run with everything a page can show: waivers in every state, a baseline, child manifests, health checks. */
export const pageRun: Run = runOf({
  policies: [ssh, accounts, base],
  exit: auditRun.exit,
  problems: auditRun.problems ?? [],
  notes: auditRun.notes ?? [],
  waivers: [
    {
      id: 'banner-review',
      reason: 'The banner is under legal review.\nNobody may change it before that.',
      approver: 'Jane Doe',
      expires: '2026-12-31',
      created: '2026-09-01',
      ticket: 'https://tickets.example/OPS-17',
      resource: 'file#/etc/issue*',
      property: 'mode',
      source: { file: 'waivers.yaml', line: 2, column: 5 },
      state: 'in-force',
      daysLeft: 41,
      expiresSoon: false,
      accepted: 1,
    },
    {
      id: 'old-kernel',
      reason: 'Until the machine is replaced.',
      approver: 'ops',
      expires: '2026-11-01',
      control: 'kernel-*',
      host: 'web*',
      source: { file: 'waivers.yaml', line: 11, column: 5 },
      state: 'expired',
      daysLeft: -19,
      expiresSoon: false,
      accepted: 0,
    },
    {
      id: 'soon-over',
      reason: 'The vendor ships it with this mode.',
      approver: 'ops',
      expires: '2026-11-23',
      ticket: 'OPS-99',
      resource: 'file#/opt/vendor/*',
      value: '0777',
      source: { file: 'waivers.yaml', line: 20, column: 5 },
      state: 'in-force',
      daysLeft: 3,
      expiresSoon: true,
      accepted: 0,
    },
  ],
  baseline: {
    source: 'reports/baseline.json',
    runId: '7c1d2b3a-0000-4000-8000-000000000001',
    startedAt: '2026-11-01T04:00:00.000Z',
    counts: { new: 1, changed: 0, unchanged: 2, resolved: 1, incomparable: 1 },
    resolved: [
      {
        policy: 'accounts',
        resource: 'file#/etc/crontab',
        property: 'mode',
        fingerprint: 'ba',
        severity: 'medium',
        desired: '0600',
        observed: '0644',
      },
    ],
    incomparable: [
      {
        policy: 'kernel',
        resource: 'exec#sysctl',
        path: ['apply#kernel.yaml'],
        property: 'run',
        fingerprint: 'bb',
        severity: 'high',
        desired: true,
        observed: { redacted: true, digest: '8a1f4e0b9c7d' },
        why: 'the policy was not part of this run',
      },
    ],
  },
})

function summaryOf(drifted: number, error: number, waived: number): TrendPoint['summary'] {
  const bad = drifted + error + waived
  const none = { fixed: 0, 'fix-failed': 0, blocked: 0, 'not-applicable': 0 }
  return { total: 17, compliant: 17 - bad, drifted, error, waived, ...none }
}

/** Earlier runs of the same machine. */
export const pageTrend: readonly TrendPoint[] = [9, 9, 8, 8, 6, 3, 3, 0, 2].map((drifted, index) => ({
  runId: `earlier-${index}`,
  startedAt: `2026-11-1${index}T04:00:00.000Z`,
  summary: summaryOf(drifted, index % 3 === 0 && drifted > 0 ? 1 : 0, drifted === 0 ? 0 : 2),
  exitCode: drifted > 0 ? 2 : 0,
}))

/** Ten policies with so many resources altogether, of which every 25th drifted and every 100th is an error. */
export function largeRun(count: number): Run {
  const resources = Array.from({ length: count }, (_, index) => numberedResource(index))
  const size = Math.ceil(count / 10)
  const policies = Array.from({ length: 10 }, (_, index) =>
    policyResult({ id: `policy-${index}`, resources: resources.slice(index * size, (index + 1) * size) }),
  )
  return runOf({ policies, exit: { code: 2, reasons: ['resources drifted'] } })
}

function numberedResource(index: number): ResourceResult {
  const name = `/srv/application/releases/current/file-${index}.conf`
  const verdict: Verdict = index % 100 === 0 ? 'error' : index % 25 === 0 ? 'drifted' : 'compliant'
  const source = { file: `policies/application.yaml`, line: index + 1, column: 11 }
  if (verdict === 'compliant') return resourceResult({ name, source, controls: [`c-${index % 40}`] })
  if (verdict === 'error') return resourceResult({ name, source, verdict, reason: 'timeout', message: 'no answer' })
  return resourceResult({
    name,
    source,
    verdict,
    severity: 'high',
    change: 'will',
    controls: [`c-${index % 40}`],
    drift: [
      { property: 'mode', desired: '0640', observed: '0666' },
      { property: 'content', desired: 'x', observed: 'y', diff: '--- found\n+++ want\n@@ -1 +1 @@\n-y\n+x\n' },
    ],
    actions: ['Would have updated attributes'],
  })
}
