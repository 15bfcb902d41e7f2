import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { WaiverRecord } from '../../../src/model/waiver.ts'
import type { PolicyResult, Run } from '../../../src/model/run.ts'
import { PLAIN } from '../../../src/report/format.ts'
import { renderReport } from '../../../src/report/index.ts'
import { arbitraryRun } from '../../support/arbitrary-run.ts'
import { checkMetrics, parsePrometheus, promtoolMissing, type ScrapedSample } from '../../support/prometheus.ts'
import { controlResult, policyResult, resourceResult, runOf } from '../../support/run.ts'
import { auditRun, emptyRun, interruptedRun, invalidRun, SAMPLE_RUNS } from '../../support/sample-runs.ts'
import { cases } from '../../support/soak.ts'

async function scrape(run: Run): Promise<readonly ScrapedSample[]> {
  return parsePrometheus(await renderReport(run, 'prometheus'))
}

/** The values of a family, by its labels in one text. */
async function family(run: Run, name: string): Promise<Readonly<Record<string, number>>> {
  const samples = (await scrape(run)).filter((sample) => sample.name === name)
  return Object.fromEntries(samples.map(({ labels, value }) => [Object.values(labels).join(' '), value]))
}

test('resources are counted by policy and verdict, zeros included', async () => {
  const found = await family(auditRun, 'driftgate_resources')
  expect(Object.keys(found)).toHaveLength(16)
  expect(found).toMatchObject({
    'ssh.hardening compliant': 2,
    'ssh.hardening drifted': 3,
    'ssh.hardening error': 1,
    'ssh.hardening fixed': 0,
    'base compliant': 2,
    'base drifted': 0,
  })
})

test('drift is counted by severity, without waived drift', async () => {
  const found = await family(auditRun, 'driftgate_drifted_resources')
  expect(found).toMatchObject({
    'ssh.hardening info': 0,
    'ssh.hardening low': 0,
    'ssh.hardening medium': 1,
    'ssh.hardening high': 1,
    'ssh.hardening critical': 1,
  })
})

test('controls are counted by verdict', async () => {
  const found = await family(auditRun, 'driftgate_controls')
  expect(found).toMatchObject({ 'ssh.hardening drifted': 1, 'ssh.hardening error': 1, 'ssh.hardening compliant': 1 })
})

test('the scan has its end time, duration, exit code and version', async () => {
  // 2026-11-20T12:00:00.291Z
  expect(await family(auditRun, 'driftgate_scan_timestamp_seconds')).toEqual({ '': 1_795_176_000.291 })
  expect(await family(auditRun, 'driftgate_scan_duration_seconds')).toEqual({ '': 0.0415 })
  expect(await family(auditRun, 'driftgate_scan_exit_code')).toEqual({ '': 2 })
  expect(await family(auditRun, 'driftgate_info')).toEqual({ '0.1.0': 1 })
})

test.each([
  ['of the audit', auditRun, { vacuous: 0, interrupted: 0, exit_code: 2, problems: 0 }],
  ['that evaluated nothing', emptyRun, { vacuous: 1, interrupted: 0, exit_code: 5 }],
  ['that could not be performed', invalidRun, { vacuous: 1, interrupted: 0, exit_code: 1, problems: 3 }],
  ['that was interrupted', interruptedRun, { vacuous: 0, interrupted: 1, exit_code: 130 }],
])('a scan %s can be told by its metrics', async (_case, run, expected) => {
  for (const [name, value] of Object.entries(expected)) {
    expect(await family(run, `driftgate_scan_${name}`)).toEqual({ '': value })
  }
})

test('nothing that grows with the machine is a label: no resource, title or value', async () => {
  const text = await renderReport(auditRun, 'prometheus')
  for (const word of ['sshd', '/etc', 'hardening of', 'OpenSSH', '0644', 'ssh-01']) expect(text).not.toContain(word)
})

const waiver: WaiverRecord = {
  id: 'w1',
  reason: 'r',
  approver: 'ops',
  expires: '2026-12-31',
  source: { file: 'w.yaml', line: 1, column: 1 },
  state: 'in-force',
  daysLeft: 41,
  expiresSoon: false,
  accepted: 1,
}

test('waivers are counted, and the end of the first one to expire is known', async () => {
  const run = runOf({
    waivers: [
      waiver,
      { ...waiver, id: 'w2', expires: '2026-11-30', daysLeft: 10, expiresSoon: true, accepted: 0 },
      { ...waiver, id: 'w3', expires: '2026-11-01', daysLeft: -19, state: 'expired', accepted: 0 },
    ],
  })
  expect(await family(run, 'driftgate_waivers')).toEqual({ 'in-force': 2, expired: 1 })
  expect(await family(run, 'driftgate_waivers_expiring')).toEqual({ '': 1 })
  expect(await family(run, 'driftgate_waivers_unused')).toEqual({ '': 2 })
  // The end of 2026-11-30 is 2026-12-01T00:00:00Z.
  expect(await family(run, 'driftgate_waivers_next_expiry_timestamp_seconds')).toEqual({ '': 1_796_083_200 })
  expect(await family(runOf({ waivers: [] }), 'driftgate_waivers')).toEqual({ 'in-force': 0, expired: 0 })
  expect(await family(runOf(), 'driftgate_waivers')).toEqual({})
})

test('drift is counted as the comparison with the baseline classes it', async () => {
  const run = runOf({
    baseline: {
      source: 'old.json',
      runId: 'r0',
      startedAt: '2026-11-01T00:00:00.000Z',
      counts: { new: 1, changed: 2, unchanged: 3, resolved: 4, incomparable: 5 },
      resolved: [],
      incomparable: [],
    },
  })
  const counts = { new: 1, changed: 2, unchanged: 3, resolved: 4, incomparable: 5 }
  expect(await family(run, 'driftgate_baseline_drifts')).toEqual(counts)
  expect(await family(run, 'driftgate_baseline_timestamp_seconds')).toEqual({ '': 1_793_491_200 })
})

function policyOf(hostname: string, startedAt: string, fields: Partial<PolicyResult> = {}): PolicyResult {
  const target = { kind: 'local', hostname, os: { id: 'debian', version: '12' } } as const
  return policyResult({ origin: { runId: `${hostname} ${startedAt}`, mode: 'audit', startedAt, target }, ...fields })
}

test('a merged report is counted per machine, several runs of one together, and its newest time counts', async () => {
  const run = runOf({
    target: { kind: 'merged', hostname: '2 hosts', os: { id: '', version: '' } },
    policies: [
      policyOf('web01', '2026-11-20T12:00:00.000Z'),
      policyOf('web01', '2026-11-19T12:00:00.000Z', { resources: [resourceResult(), resourceResult({ name: '/b' })] }),
      policyOf('web02', '2026-11-18T12:00:00.000Z', { controls: [controlResult()] }),
    ],
  })
  expect(await family(run, 'driftgate_resources')).toMatchObject({
    'web01 base compliant': 3,
    'web02 base compliant': 1,
  })
  expect(await family(run, 'driftgate_scan_timestamp_seconds')).toEqual({
    web01: Date.UTC(2026, 10, 20, 12) / 1000,
    web02: Date.UTC(2026, 10, 18, 12) / 1000,
  })
})

test('policies that share an id are one series, with any characters in the id', async () => {
  const run = runOf({ policies: [policyResult({ id: 'a"\\\n{}' }), policyResult({ id: 'a"\\\n{}', version: '2' })] })
  expect(await family(run, 'driftgate_resources')).toMatchObject({ [String.raw`a"\\n{} compliant`]: 2 })
  expect(Object.keys(await family(run, 'driftgate_policy_info'))).toHaveLength(2)
})

test('a strict parser reads every report', async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryRun, async (run) => {
      const samples = await scrape(run)
      const total = samples
        .filter(({ name }) => name === 'driftgate_resources')
        .reduce((sum, { value }) => sum + value, 0)
      expect(total).toBeGreaterThanOrEqual(0)
      expect(samples.filter(({ name }) => name === 'driftgate_scan_exit_code')).toHaveLength(1)
    }),
  )
})

test('promtool has nothing to say against any metrics', async ({ skip }) => {
  skip(promtoolMissing !== undefined, promtoolMissing)
  for (const [, run] of SAMPLE_RUNS) expect(checkMetrics(await renderReport(run, 'prometheus'))).toBe('')
  for (const run of fc.sample(arbitraryRun, cases({ usual: 8, soak: 300 })))
    expect(checkMetrics(await renderReport(run, 'prometheus'))).toBe('')
})

test.each([
  ['a series twice', '# HELP a b\n# TYPE a gauge\na 1\na 2\n'],
  ['a sample without its type', '# HELP a b\na 1\n'],
  ['a value that is no number', '# HELP a b\n# TYPE a gauge\na NaN\n'],
  ['a time', '# HELP a b\n# TYPE a gauge\na 1 1795176000000\n'],
  ['a line feed in a label', '# HELP a b\n# TYPE a gauge\na{l="x\ny"} 1\n'],
  ['an open quote', '# HELP a b\n# TYPE a gauge\na{l="x} 1\n'],
  ['a counter without _total', '# HELP a b\n# TYPE a counter\na 1\n'],
  ['no line feed at the end', '# HELP a b\n# TYPE a gauge\na 1'],
])('the parser of these tests refuses %s', (_case, text) => {
  expect(() => parsePrometheus(text)).toThrow()
})

test('the files of two scans of a host have no series in common', async () => {
  const seriesIn = async (file: string): Promise<readonly string[]> =>
    parsePrometheus(await renderReport(auditRun, 'prometheus', { ...PLAIN, file })).map(({ name, labels }) =>
      JSON.stringify([name, labels]),
    )
  const nightly = await seriesIn('/var/lib/node/nightly.prom')
  const hourly = await seriesIn('/var/lib/node/hourly.prom')
  expect(nightly).toContain(JSON.stringify(['driftgate_scan_exit_code', { scan: 'nightly' }]))
  expect(nightly.filter((series) => hourly.includes(series))).toEqual([])
})
