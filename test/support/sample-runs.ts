import type { Run } from '../../src/model/run.ts'
import { controlResult, policyResult, resourceResult, runOf } from './run.ts'

const source = { file: 'policies/ssh.yaml', column: 11 }

/** An audit with every verdict an audit can have, and every kind of value. */
export const auditRun: Run = runOf({
  policies: [
    policyResult({
      id: 'ssh.hardening',
      title: 'OpenSSH server hardening',
      version: '1.2.0',
      source: 'policies/ssh.yaml',
      resources: [
        resourceResult({
          name: '/etc/ssh/sshd_config',
          alias: 'sshd_config',
          verdict: 'drifted',
          change: 'will',
          ensure: { desired: 'present', observed: 'present' },
          drift: [
            {
              property: 'content',
              desired: {
                sha256: '2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae',
                sizeBytes: 61,
              },
              observed: {
                sha256: 'fcde2b2edba56bf408601fb721fe9b5c338d10ee429ea04fae5511b68fbf8fb9',
                sizeBytes: 62,
              },
              diff: [
                '--- found',
                '+++ want',
                '@@ -1,3 +1,3 @@',
                ' Port 22',
                '-PermitRootLogin yes',
                '+PermitRootLogin no',
                ' UsePAM\tyes',
                '',
              ].join('\n'),
            },
            { property: 'owner', desired: 'root', observed: 'nobody' },
            { property: 'mode', desired: '0600', observed: '0644', note: 'others can read it' },
          ],
          unknown: [{ property: 'group', reason: 'not-observable', detail: 'the group database did not answer' }],
          actions: ['Would have created the file'],
          message: 'content: want sha256 2c26b46b68ff, found sha256 fcde2b2edba5',
          severity: 'high',
          controls: ['ssh-01'],
          tags: ['ssh'],
          source: { ...source, line: 14 },
        }),
        resourceResult({
          name: '/etc/ssh/keys/host.key',
          verdict: 'drifted',
          change: 'may',
          changeReason: 'the directory /etc/ssh/keys is created by file#/etc/ssh/keys',
          ensure: { desired: 'present', observed: 'absent' },
          drift: [{ property: 'ensure', desired: 'present', observed: 'absent' }],
          actions: ['Would have created an empty file with requested attributes'],
          severity: 'critical',
          controls: ['ssh-01', 'ssh-02'],
          source: { ...source, line: 22 },
        }),
        resourceResult({
          name: '/etc/app',
          verdict: 'drifted',
          change: 'cannot',
          changeReason: 'there is no user "deploy"',
          drift: [
            { property: 'owner', desired: 'deploy', observed: 'root' },
            {
              property: 'password',
              desired: { redacted: true, digest: '8a1f4e0b9c7d' },
              observed: { redacted: true, digest: '77aa01cd23ef' },
            },
            { property: 'enable', desired: true, observed: false },
            { property: 'count', desired: 3, observed: null },
            {
              property: 'banner',
              desired: '',
              observed: 'Authorised users only. All activity is logged and reviewed.',
            },
            { property: 'content', path: 'conf.d/10-base.conf', desired: 'one', observed: 'two' },
          ],
          source: { ...source, line: 30 },
        }),
        resourceResult({
          name: '/etc/shadow',
          verdict: 'error',
          reason: 'permission-denied',
          message: 'cannot read /etc/shadow: permission denied',
          errors: ['cannot read /etc/shadow: permission denied', 'run as root to see it'],
          severity: 'critical',
          controls: ['ssh-02'],
          source: { ...source, line: 41 },
        }),
        resourceResult({
          name: '/etc/shadow-',
          verdict: 'blocked',
          blockedBy: ['file#/etc/shadow'],
          message: 'requires file#/etc/shadow, which is error',
          source: { ...source, line: 48 },
        }),
        resourceResult({
          name: '/etc/motd',
          verdict: 'waived',
          message: 'until 2026-12-31 by ops: banner is under legal review',
          drift: [{ property: 'mode', desired: '0644', observed: '0664' }],
          severity: 'low',
          source: { ...source, line: 55 },
        }),
        resourceResult({
          name: '/etc/selinux/config',
          verdict: 'not-applicable',
          message: 'control if: facts.os.family == "redhat" is false',
          source: { ...source, line: 62 },
        }),
        resourceResult({ name: '/etc/passwd', source: { ...source, line: 70 } }),
        resourceResult({
          id: 'service#sshd',
          type: 'service',
          name: 'sshd',
          provider: 'systemd',
          actions: ['Would have restarted via subscribe'],
          source: { ...source, line: 77 },
        }),
      ],
      controls: [
        controlResult({
          id: 'ssh-01',
          title: 'The daemon is configured by root alone',
          severity: 'high',
          description: 'Nobody else may read or write the configuration.',
          remediation: 'Run chmod 0600 /etc/ssh/sshd_config',
          references: { 'nist-800-53': ['AC-3'], 'cis-debian-12': ['5.1.1'] },
          tags: ['ssh'],
          verdict: 'drifted',
          resources: ['file#/etc/ssh/sshd_config', 'file#/etc/ssh/keys/host.key'],
        }),
        controlResult({ id: 'ssh-02', severity: 'critical', verdict: 'error', resources: ['file#/etc/shadow'] }),
        controlResult({ id: 'ssh-10', title: 'Accounts belong to root', resources: ['file#/etc/passwd'] }),
      ],
    }),
    policyResult({
      id: 'base',
      title: 'Baseline',
      resources: [resourceResult(), resourceResult({ name: '/etc/issue' })],
    }),
  ],
  exit: {
    code: 2,
    reasons: ['3 resources drifted at or above severity info', '1 resource unknown', '1 resource is blocked'],
  },
  problems: [
    {
      message: 'register_when_stable has no effect here',
      severity: 'warning',
      position: { file: 'policies/ssh.yaml', line: 80, column: 7 },
      sourceLine: '      register_when_stable: true',
    },
  ],
  notes: ['facts of the network were not gathered'],
})

export const fixRun: Run = runOf({
  run: { ...runOf().run, mode: 'fix' },
  policies: [
    policyResult({
      resources: [
        resourceResult({
          verdict: 'fixed',
          drift: [
            { property: 'owner', desired: 'root', observed: 'nobody' },
            { property: 'mode', desired: '0644', observed: '0666' },
          ],
          actions: ['Updated attributes'],
        }),
        resourceResult({
          name: '/srv/data',
          verdict: 'fix-failed',
          change: 'will',
          drift: [
            { property: 'owner', desired: 'www', observed: 'root' },
            { property: 'mode', desired: '0750', observed: '0777' },
          ],
          remaining: [{ property: 'mode', desired: '0750', observed: '0777' }],
          actions: ['Created directory'],
          message: 'mode still differs: want 0750, found 0777',
          errors: ['chmod /srv/data: operation not permitted'],
          severity: 'critical',
          source: { file: 'policies/base.yaml', line: 19, column: 9 },
        }),
      ],
    }),
  ],
  exit: { code: 4, reasons: ['1 resource failed to fix'] },
})

/** A policy that could not be read, so nothing was evaluated. */
export const invalidRun: Run = runOf({
  policies: [],
  exit: { code: 1, reasons: ['the policies have 3 problems'] },
  problems: [
    {
      message: 'unknown key "moed", did you mean "mode"?',
      severity: 'error',
      position: { file: 'policies/base.yaml', line: 7, column: 11 },
      sourceLine: '          moed: "0644"',
    },
    {
      message: 'tabs cannot indent',
      severity: 'error',
      position: { file: 'policies/base.yaml', line: 9, column: 3 },
      sourceLine: '\t\tmode: "0644"',
    },
    { message: 'cannot read policies/missing.yaml: no such file', severity: 'error' },
  ],
})

/** Every resource ruled out by its control. */
export const emptyRun: Run = runOf({
  policies: [
    policyResult({
      resources: [resourceResult({ verdict: 'not-applicable', message: 'control unless: facts.virtual is true' })],
    }),
  ],
  exit: { code: 5, reasons: ['nothing was evaluated: 1 resource is not applicable'] },
})

/** Stopped by SIGINT after the first resource. */
export const interruptedRun: Run = runOf({
  run: { ...runOf().run, interrupted: true },
  exit: { code: 130, reasons: ['interrupted by SIGINT'] },
})

/** One run per situation, by name. */
export const SAMPLE_RUNS: readonly (readonly [name: string, run: Run])[] = [
  ['compliant', runOf()],
  ['audit', auditRun],
  ['fix', fixRun],
  ['invalid', invalidRun],
  ['empty', emptyRun],
  ['interrupted', interruptedRun],
]
