import type { Run, RunOrigin } from '../../src/model/run.ts'
import type { WaiverRecord } from '../../src/model/waiver.ts'
import { controlResult, policyResult, resourceResult, runOf } from './run.ts'

const source = { file: 'policies/base.yaml', column: 9 }

const motdTerms = {
  id: 'W-1',
  reason: 'legal review',
  approver: 'ops@example.com',
  expires: '2026-12-01',
  ticket: 'SEC-7',
}

const motdWaiver: WaiverRecord = {
  ...motdTerms,
  resource: 'file#/etc/motd',
  source: { file: 'waivers.yaml', line: 2, column: 5 },
  state: 'in-force',
  daysLeft: 11,
  expiresSoon: true,
  accepted: 1,
}

const oldTerms = { id: 'W-0', reason: 'migration', approver: 'ops', expires: '2026-11-01' }

/** A run with waivers: one in force, one that expired, and one that a property of a drifted resource has. */
export const waivedRun: Run = runOf({
  policies: [
    policyResult({
      resources: [
        resourceResult({
          verdict: 'waived',
          drift: [{ property: 'mode', desired: '0644', observed: '0664', fingerprint: 'a1', waiver: 'W-1' }],
          waivers: [{ ...motdTerms, state: 'in-force', covers: ['mode'] }],
          message: 'every drift is accepted',
          source: { ...source, line: 4 },
        }),
        resourceResult({
          name: '/etc/issue',
          verdict: 'drifted',
          drift: [
            { property: 'owner', desired: 'root', observed: 'nobody', fingerprint: 'b1', waiver: 'W-1' },
            { property: 'mode', desired: '0644', observed: '0666', fingerprint: 'b2' },
          ],
          waivers: [
            { ...motdTerms, state: 'in-force', covers: ['owner'] },
            { ...oldTerms, state: 'expired', covers: ['mode'] },
          ],
          source: { ...source, line: 9 },
        }),
      ],
    }),
  ],
  exit: { code: 2, reasons: ['1 resource drifted at or above severity info'] },
  waivers: [
    motdWaiver,
    {
      ...oldTerms,
      control: 'base-*',
      source: { file: 'waivers.yaml', line: 8, column: 5 },
      state: 'expired',
      daysLeft: -19,
      expiresSoon: false,
      accepted: 0,
    },
  ],
})

/** A run compared with a baseline: drift of every class, something resolved and something that cannot be compared. */
export const comparedRun: Run = runOf({
  policies: [
    policyResult({
      resources: [
        resourceResult({
          verdict: 'drifted',
          drift: [{ property: 'mode', desired: '0644', observed: '0664', fingerprint: 'c1', baseline: 'unchanged' }],
          source: { ...source, line: 4 },
        }),
        resourceResult({
          name: '/etc/issue',
          verdict: 'drifted',
          severity: 'high',
          controls: ['base-01'],
          drift: [
            { property: 'owner', desired: 'root', observed: 'nobody', fingerprint: 'c2', baseline: 'new' },
            { property: 'group', desired: 'root', observed: 'games', fingerprint: 'c3', baseline: 'changed' },
            { property: 'mode', desired: '0644', observed: '0666', fingerprint: 'c4', baseline: 'unchanged' },
          ],
          source: { ...source, line: 9 },
        }),
        resourceResult({ name: '/etc/hosts', source: { ...source, line: 14 } }),
      ],
      controls: [controlResult({ severity: 'high', verdict: 'drifted', resources: ['file#/etc/issue'] })],
    }),
  ],
  exit: { code: 2, reasons: ['1 resource drifted at or above severity info'] },
  baseline: {
    source: 'reports/main.json',
    runId: '5b0b8a52-2f3b-4f0e-8c3e-0a7d7a1f2b3c',
    startedAt: '2026-11-19T05:00:00.000Z',
    counts: { new: 1, changed: 1, unchanged: 2, resolved: 2, incomparable: 1 },
    resolved: [
      {
        policy: 'base',
        resource: 'file#/etc/hosts',
        property: 'mode',
        fingerprint: 'd1',
        severity: 'low',
        desired: '0644',
        observed: '0600',
      },
      {
        policy: 'gone',
        resource: 'service#telnetd',
        property: 'ensure',
        fingerprint: 'd2',
        severity: 'critical',
        desired: 'stopped',
        observed: 'running',
      },
    ],
    incomparable: [
      {
        policy: 'base',
        resource: 'file#/etc/shadow',
        property: 'mode',
        fingerprint: 'd3',
        severity: 'medium',
        desired: '0600',
        observed: '0644',
        why: 'it could not be decided',
      },
    ],
  },
})

function originOn(hostname: string, runId: string): RunOrigin {
  const target = { kind: 'local', hostname, os: { id: 'debian', version: '12' } } as const
  return { runId, mode: 'audit', startedAt: '2026-11-20T03:00:00.000Z', target }
}

const sameDrift = resourceResult({
  verdict: 'drifted',
  drift: [{ property: 'mode', desired: '0644', observed: '0664', fingerprint: 'e1' }],
})

/** The reports of two machines with the same drift, put together. */
export const mergedRun: Run = runOf({
  target: { kind: 'merged', hostname: 'web01, web02', os: { id: '', version: '' } },
  policies: [
    policyResult({
      origin: originOn('web01', '11111111-2222-4333-8444-555555555555'),
      resources: [sameDrift],
    }),
    policyResult({
      origin: originOn('web02', '66666666-7777-4888-9999-aaaaaaaaaaaa'),
      resources: [sameDrift, resourceResult({ name: '/etc/issue' })],
    }),
  ],
  exit: { code: 2, reasons: ['2 resources drifted at or above severity info'] },
})
