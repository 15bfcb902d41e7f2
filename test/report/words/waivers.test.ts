import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ResourceResult, Run } from '../../../src/model/run.ts'
import type { WaiverRecord, WaiverUse } from '../../../src/model/waiver.ts'
import { PLAIN } from '../../../src/report/format.ts'
import { renderReport } from '../../../src/report/index.ts'
import { hostileText } from '../../support/hostile-text.ts'
import { policyResult, resourceResult, runOf } from '../../support/run.ts'
import { findAll, parseXml } from '../../support/xml.ts'

const TERMS = { reason: 'the vendor resets it', approver: 'Ada', expires: '2026-12-31' }

function use(fields: Partial<WaiverUse> = {}): WaiverUse {
  return { id: 'w', ...TERMS, state: 'in-force', covers: ['mode'], ...fields }
}

function record(fields: Partial<WaiverRecord> = {}): WaiverRecord {
  const source = { file: 'waivers.yaml', line: 2, column: 5 }
  const fate = { state: 'in-force', daysLeft: 41, expiresSoon: false, accepted: 1 } as const
  return { id: 'w', ...TERMS, resource: 'file#/etc/motd', source, ...fate, ...fields }
}

const WAIVED: Partial<ResourceResult> = {
  name: '/etc/motd',
  verdict: 'waived',
  drift: [{ property: 'mode', desired: '0644', observed: '0600', waiver: 'w' }],
  waivers: [use({ ticket: 'OPS-1' })],
  message: 'accepted',
}

const OPEN: Partial<ResourceResult> = {
  name: '/etc/motd',
  verdict: 'drifted',
  change: 'will',
  drift: [{ property: 'mode', desired: '0644', observed: '0600' }],
  message: 'mode: want 0644, found 0600',
}

function runWith(result: Partial<ResourceResult>, waivers: readonly WaiverRecord[], fields: Partial<Run> = {}): Run {
  return runOf({ policies: [policyResult({ resources: [resourceResult(result)] })], waivers, ...fields })
}

/** The lines of a report about waivers, those at the end without the columns. */
async function linesOf(run: Run, { format = 'text', verbose = false } = {}): Promise<readonly string[]> {
  const text = await renderReport(run, format, { ...PLAIN, verbose })
  return text.split('\n').map((line) => line.trim().replaceAll(/ {2,}/g, ' '))
}

test.each(['text', 'plan'])('%s shows the accepted drift, the approver and the remaining time', async (format) => {
  const lines = await linesOf(runWith(WAIVED, [record()]), { format })
  expect(lines).toContain(
    'waiver: w accepts mode until the end of 2026-12-31 UTC (41 days left), by Ada, OPS-1: the vendor resets it',
  )
  expect(lines).toContain(format === 'plan' ? 'accepted: mode: want 0644, found 0600' : 'mode: want 0644 found 0600')
  expect(lines.join('\n')).not.toContain('reason:')
  expect(lines).not.toContain('waivers')
})

test.each(['text', 'plan'])('%s says why drift is accepted no longer', async (format) => {
  const waivers = [use({ state: 'expired', expires: '2026-10-01' }), use({ id: 'v', state: 'lapsed' })]
  const old = record({ state: 'expired', daysLeft: -50, expires: '2026-10-01', accepted: 0 })
  const lines = await linesOf(runWith({ ...OPEN, waivers }, [old]), { format })
  expect(lines).toContain('waiver: w expired at the end of 2026-10-01 UTC (50 days ago), by Ada: the vendor resets it')
  expect(lines).toContain('waiver: v lapsed: it accepts mode only with another value, by Ada: the vendor resets it')
  expect(lines).toContain('expired w at the end of 2026-10-01 UTC, 50 days ago, Ada waivers.yaml:2')
})

test.each<[string, Partial<ResourceResult>, Partial<WaiverRecord>, string | undefined]>([
  ['is needed', WAIVED, {}, undefined],
  [
    'is needed and ends today',
    WAIVED,
    { daysLeft: 0, expiresSoon: true },
    'expires soon w at the end of 2026-12-31 UTC, last day, Ada waivers.yaml:2',
  ],
  [
    'is needed and ends soon',
    WAIVED,
    { daysLeft: 1, expiresSoon: true, ticket: 'T-1' },
    'expires soon w at the end of 2026-12-31 UTC, 1 day left, Ada, T-1 waivers.yaml:2',
  ],
  [
    'has ended unneeded',
    {},
    { state: 'expired', daysLeft: -1, accepted: 0 },
    'expired w at the end of 2026-12-31 UTC, 1 day ago, Ada waivers.yaml:2',
  ],
  [
    'is for what has not drifted',
    { name: '/etc/motd' },
    { accepted: 0 },
    'unused w file#/etc/motd has not drifted waivers.yaml:2',
  ],
  [
    'is for nothing',
    { name: '/etc/issue' },
    { accepted: 0 },
    'unused w nothing that was evaluated is file#/etc/motd waivers.yaml:2',
  ],
  [
    'is for another type',
    {},
    { resource: 'control#a', accepted: 0 },
    'unused w nothing that was evaluated is control#a waivers.yaml:2',
  ],
  [
    'accepts another value',
    { ...OPEN, waivers: [use({ state: 'lapsed' })] },
    { accepted: 0, property: 'mode', value: '0640' },
    'lapsed w file#/etc/motd mode = "0640" was accepted, and another value was found waivers.yaml:2',
  ],
  ['is for another machine', {}, { host: 'db*', accepted: 0 }, undefined],
  ['is for this machine', {}, { host: 'web*', accepted: 0 }, 'unused w file#/etc/motd has not drifted waivers.yaml:2'],
])('a waiver that %s is listed if it needs attention', async (_case, result, fields, expected) => {
  const run = runWith(result, [record(fields)])
  const lines = await linesOf(run)
  const index = lines.indexOf('waivers')
  expect(index < 0 ? undefined : lines[index + 1]).toBe(expected)
  expect((await linesOf(run, { format: 'plan' })).includes(expected ?? 'waivers')).toBe(expected !== undefined)
})

test('an interrupted run reports no unused waivers', async () => {
  const run = runWith({}, [record({ accepted: 0 })])
  const interrupted = { ...run, run: { ...run.run, interrupted: true } }
  expect(await linesOf(interrupted)).not.toContain('waivers')
})

test('all of them are listed where everything is', async () => {
  const lines = await linesOf(runWith(WAIVED, [record()]), { verbose: true })
  expect(lines).toContain(
    'in force w until the end of 2026-12-31 UTC, 41 days left; accepts drift of 1 resource waivers.yaml:2',
  )
})

test('the summary alone does not list them', async () => {
  const { reportFormats } = await import('../../../src/report/index.ts')
  const format = reportFormats.find(({ name }) => name === 'text')
  const text = await format?.summarize?.(runWith({}, [record({ accepted: 0 })]), PLAIN)
  expect(text).not.toContain('waiver')
})

test('in JUnit waived drift is skipped, with date, approver and reason first', async () => {
  const drift = [
    { property: 'mode', desired: '0644', observed: '0600', waiver: 'w' },
    { property: 'owner', desired: 'root', observed: 'app', waiver: 'v' },
  ]
  const waivers = [use(), use({ id: 'u' }), use({ id: 'v', expires: '2027-01-31', approver: 'Bob', covers: ['owner'] })]
  const document = parseXml(await renderReport(runWith({ ...WAIVED, drift, waivers }, []), 'junit'))
  const [skipped] = findAll(document, 'skipped')
  expect(skipped?.text.split('\n')[0]).toBe(
    'WAIVED until 2026-12-31 by Ada: the vendor resets it; until 2027-01-31 by Bob: the vendor resets it',
  )
  expect(skipped?.text).toContain('mode:   want 0644  found 0600')
})

test.each(['text', 'plan'])('the text of a waiver cannot disturb a %s report', async (format) => {
  await fc.assert(
    fc.asyncProperty(hostileText, async (hostile) => {
      const terms = { reason: hostile, approver: hostile, ticket: hostile }
      const run = runWith({ ...WAIVED, waivers: [use(terms)] }, [
        record({ ...terms, expiresSoon: true, resource: `file#${hostile}` }),
        record({ ...terms, id: hostile, accepted: 0, property: hostile, value: hostile }),
      ])
      const text = await renderReport(run, format, { ...PLAIN, verbose: true })
      expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u)
    }),
  )
})
