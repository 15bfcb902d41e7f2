import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ResourceResult, Run, RunTarget } from '../../../src/model/run.ts'
import { SEVERITIES } from '../../../src/model/verdict.ts'
import { renderReport } from '../../../src/report/index.ts'
import { arbitraryRun } from '../../support/arbitrary-run.ts'
import { readHdf, type ReadControl } from '../../support/hdf.ts'
import { controlResult, policyResult, resourceResult, runOf, runWith } from '../../support/run.ts'
import { auditRun, emptyRun, interruptedRun, invalidRun } from '../../support/sample-runs.ts'

async function read(run: Run): Promise<readonly ReadControl[]> {
  return readHdf(await renderReport(run, 'hdf'))
}

const drift = [{ property: 'mode', desired: '0600', observed: '0644' }]

test.each<readonly [string, Partial<ResourceResult>, ReadControl['status'], string]>([
  ['a compliant resource', {}, 'Passed', 'passed'],
  ['a fixed resource', { verdict: 'fixed', drift }, 'Passed', 'passed'],
  ['drift', { verdict: 'drifted', drift }, 'Failed', 'failed'],
  ['a failed fix', { verdict: 'fix-failed', drift }, 'Failed', 'failed'],
  ['an error', { verdict: 'error', reason: 'timeout', message: 'too slow' }, 'Profile Error', 'error'],
  ['a blocked resource', { verdict: 'blocked', message: 'm' }, 'Profile Error', 'error'],
  ['a waived resource', { verdict: 'waived', drift, message: 'by ops' }, 'Not Applicable', 'failed'],
  ['a resource that is not applicable', { verdict: 'not-applicable', message: 'm' }, 'Not Applicable', 'skipped'],
])('%s is shown as such', async (_case, fields, status, result) => {
  const [control] = await read(runWith({ controls: [], ...fields }))
  expect(control?.status).toBe(status)
  expect(control?.raw.results).toMatchObject([{ status: result, code_desc: 'file#/etc/motd' }])
})

test('a control has the results of its resources, a resource without one is its own control', async () => {
  const controls = await read(auditRun)
  expect(controls.map(({ profile, id, status }) => [profile, id, status])).toEqual([
    ['driftgate on web01', 'ssh.hardening > ssh-01', 'Failed'],
    ['driftgate on web01', 'ssh.hardening > ssh-02', 'Profile Error'],
    ['driftgate on web01', 'ssh.hardening > ssh-10', 'Not Reviewed'],
    ['driftgate on web01', 'ssh.hardening > file#/etc/app', 'Failed'],
    ['driftgate on web01', 'ssh.hardening > file#/etc/shadow-', 'Profile Error'],
    ['driftgate on web01', 'ssh.hardening > file#/etc/motd', 'Not Applicable'],
    ['driftgate on web01', 'ssh.hardening > file#/etc/selinux/config', 'Not Applicable'],
    ['driftgate on web01', 'ssh.hardening > file#/etc/passwd', 'Passed'],
    ['driftgate on web01', 'ssh.hardening > service#sshd', 'Passed'],
    ['driftgate on web01', 'base > file#/etc/motd', 'Passed'],
    ['driftgate on web01', 'base > file#/etc/issue', 'Passed'],
  ])
  expect(controls[0]?.raw).toMatchObject({
    title: 'The daemon is configured by root alone',
    impact: 0.7,
    tags: { nist: ['AC-3'], keywords: ['ssh'] },
    refs: [{ ref: 'nist-800-53 AC-3' }, { ref: 'cis-debian-12 5.1.1' }],
    descriptions: [{ label: 'fix', data: 'Run chmod 0600 /etc/ssh/sshd_config' }],
    source_location: { ref: 'policies/ssh.yaml', line: 14 },
  })
  expect(controls[0]?.raw.results[0]?.['message']).toContain('mode:    want 0600')
})

test('every severity has more impact than a not applicable control, and higher severities have more', async () => {
  const controls = await read(runWith(...SEVERITIES.map((severity) => ({ name: `/${severity}`, severity }))))
  const impacts = controls.map(({ raw }) => raw.impact)
  expect(impacts[0]).toBeGreaterThan(0)
  expect(impacts).toEqual(impacts.toSorted((a, b) => a - b))
  expect(new Set(impacts).size).toBe(SEVERITIES.length)
})

const terms = { id: 'w1', reason: 'replaced in May', approver: 'ops', expires: '2026-12-31', covers: ['mode'] }

test('a waiver is told with its terms, in real booleans', async () => {
  const [control] = await read(
    runWith({
      verdict: 'waived',
      drift: [{ property: 'mode', desired: '0600', observed: '0644', waiver: 'w1' }],
      waivers: [{ ...terms, state: 'in-force' }],
    }),
  )
  expect(control?.raw.waiver_data).toEqual({
    expiration_date: '2026-12-31',
    justification: 'replaced in May',
    message: 'waived until 2026-12-31 by ops: replaced in May',
    run: true,
    skipped_due_to_waiver: true,
  })
})

test('an expired waiver is told and hides nothing', async () => {
  const [control] = await read(runWith({ verdict: 'drifted', drift, waivers: [{ ...terms, state: 'expired' }] }))
  expect(control?.status).toBe('Failed')
  expect(control?.raw.waiver_data).toMatchObject({
    message: 'waiver w1 expired on 2026-12-31',
    skipped_due_to_waiver: false,
  })
})

test('a control of which one resource is waived and another one drifted has failed', async () => {
  const ids = { controls: ['c'] }
  const resources = [
    resourceResult({ ...ids, verdict: 'waived', drift, waivers: [{ ...terms, state: 'in-force' }] }),
    resourceResult({ ...ids, name: '/b', verdict: 'drifted', drift }),
  ]
  const policies = [policyResult({ resources, controls: [controlResult({ id: 'c', verdict: 'drifted' })] })]
  const [control] = await read(runOf({ policies }))
  expect(control?.status).toBe('Failed')
})

test('known drift of the baseline is no failure, with the reason', async () => {
  const [control] = await read(
    runWith({
      verdict: 'drifted',
      drift: [{ property: 'mode', desired: '0600', observed: '0644', baseline: 'unchanged' }],
    }),
  )
  expect(control?.status).toBe('Not Applicable')
  expect(control?.raw.waiver_data).toMatchObject({ message: 'known since the baseline: mode' })
})

test.each([
  ['that could not be performed', invalidRun],
  ['that evaluated nothing', emptyRun],
  ['that was interrupted', interruptedRun],
])('a scan %s is in error', async (_case, run) => {
  expect((await read(run)).at(-1)).toMatchObject({ id: 'scan', status: 'Profile Error' })
})

test('of a merged report every profile names its machine', async () => {
  const target = { kind: 'local', hostname: 'web02', os: { id: 'debian', version: '12' } } as const
  const origin = { runId: 'r2', mode: 'audit', startedAt: '2026-11-19T12:00:00.000Z', target } as const
  const run = runOf({ target: { ...target, kind: 'merged' }, policies: [policyResult({ origin })] })
  const [control] = await read(run)
  expect(control?.profile).toBe('base on web02')
  expect(control?.raw.results[0]?.['start_time']).toBe('2026-11-19T12:00:00.000Z')
})

test('policies and hosts are one profile in which no control has the id of another one', async () => {
  const target = (hostname: string): RunTarget => ({ kind: 'local', hostname, os: { id: 'debian', version: '12' } })
  const policies = ['web01', 'web02', 'web02'].map((hostname, index) => {
    const origin = {
      runId: `r${index}`,
      mode: 'audit',
      startedAt: '2026-11-19T12:00:00.000Z',
      target: target(hostname),
    } as const
    return policyResult({ origin, controls: [controlResult({ id: 'c', verdict: 'drifted' })] })
  })
  const document = await renderReport(runOf({ target: { ...target('web01, web02'), kind: 'merged' }, policies }), 'hdf')
  const ids = readHdf(document).map(({ profile, id }) => [profile, id])
  expect(ids.filter(([, id]) => id?.includes('> c'))).toEqual([
    ['driftgate on web01, web02', 'web01 > base > c'],
    ['driftgate on web01, web02', 'web02 > base > c'],
    ['driftgate on web01, web02', 'web02 > base > c #2'],
  ])
})

test('every run is a valid document without a backtrace, and no failure looks green', async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryRun, async (run) => {
      const document = await renderReport(run, 'hdf')
      expect(document).not.toMatch(/"backtrace"/)
      const controls = readHdf(document)
      if (run.exit.code === 1 || run.run.interrupted) expect(controls.at(-1)?.status).toBe('Profile Error')
    }),
  )
})
