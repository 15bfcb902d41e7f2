import { gunzipSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ResourceResult, Run } from '../../../src/model/run.ts'
import { beatOf, mayBeBeat, readBeat } from '../../../src/fleet/messages/beat.ts'
import { applyDelta, deltaOf, readDelta, type Stated } from '../../../src/fleet/messages/delta.ts'
import type { SenderNote } from '../../../src/fleet/messages/sender.ts'
import { circumstancesOf, stateOf } from '../../../src/fleet/messages/state.ts'
import { requirementsOf } from '../../../src/report/words/requirements.ts'
import { arbitraryRun } from '../../support/arbitrary-run.ts'
import { fleetRun } from '../../support/fleet-run.ts'
import { controlResult, policyResult, resourceResult, runOf } from '../../support/run.ts'
import { cases } from '../../support/soak.ts'

const SENDER: SenderNote = { version: '1.0.0', spool: 0, lost: 0 }

const stated = (run: Run): Stated => ({ run, state: stateOf(run) })

const sent = (value: unknown): unknown => JSON.parse(gunzipSync(gzipSync(JSON.stringify(value))).toString('utf8'))

const runs = { numRuns: cases({ usual: 300, soak: 5000 }) }

/** What an edit of a run does to the result at a place: the result of another run there, none, another verdict, or the same later. */
const EDITS = ['keep', 'keep', 'keep', 'put', 'drop', 'drift', 'time', 'swap'] as const

/** A run, and another one of the same policies where some results are different, gone, new or elsewhere. */
const twoRuns = fc
  .tuple(arbitraryRun, arbitraryRun, fc.array(fc.constantFrom(...EDITS), { minLength: 1, maxLength: 12 }))
  .map(([before, other, edits]) => {
    const put = other.policies.flatMap(({ resources }) => resources)
    let at = 0
    const edited = (result: ResourceResult): readonly ResourceResult[] => {
      const edit = edits[at++ % edits.length]
      const [more = result] = put
      if (edit === 'put') return [more, result]
      if (edit === 'drop') return []
      if (edit === 'drift') return [{ ...result, verdict: result.verdict === 'drifted' ? 'compliant' : 'drifted' }]
      return edit === 'time' ? [{ ...result, durationMs: result.durationMs + 1 }] : [result]
    }
    const policies = before.policies.map((policy) => {
      const resources = policy.resources.flatMap(edited)
      return { ...policy, resources: edits.includes('swap') ? resources.toReversed() : resources }
    })
    const run = { ...before.run, id: 'the later run', startedAt: other.run.startedAt }
    return {
      before: { ...before, run: { ...before.run, id: 'the earlier run' } },
      after: { ...before, run, policies, exit: other.exit, summary: other.summary },
    }
  })

test('a whole report and what differs from it give the whole state', () => {
  let merged = 0
  fc.assert(
    fc.property(twoRuns, ({ before, after }) => {
      const [base, now] = [stated(before), stated(after)]
      const delta = deltaOf(base, now, SENDER)
      if (before.target.kind === 'merged' && before.policies.length > 0) {
        merged++
        expect(delta).toBeUndefined()
        return
      }
      const read = readDelta(sent(delta))
      if (read === undefined) throw new Error('it is no delta')
      const applied = applyDelta(sent(before) as Run, read)
      if ('reason' in applied) throw new Error(applied.reason)
      expect(stateOf(applied).sha256).toBe(read.sha256)
      expect(read.sha256).toBe(now.state.sha256)
      // What the fleet counts is in it, too.
      const standings = (run: Run): unknown => requirementsOf(run).map(({ id, standing }) => [id, standing])
      expect(standings(applied)).toEqual(sent(standings(after)))
      expect({ ...applied, policies: [] }).toMatchObject({
        run: after.run,
        summary: after.summary,
        exit: after.exit,
      })
    }),
    runs,
  )
  expect(merged).toBeGreaterThan(0)
})

test('a beat fits exactly where nothing that counts has changed', () => {
  let same = 0
  fc.assert(
    fc.property(twoRuns, ({ before, after }) => {
      // Here what counts is what a reader of both reports compares, without times and sentences.
      const counts = ({ policies, exit }: Run): unknown =>
        sent([exit.code, policies.map(({ resources }) => resources.map((each) => ({ ...each, durationMs: 0 })))])
      const isSame = JSON.stringify(counts(before)) === JSON.stringify(counts(after))
      if (isSame) same++
      expect(stateOf(before).sha256 === stateOf(after).sha256).toBe(isSame)
    }),
    runs,
  )
  expect(same).toBeGreaterThan(0)
})

const drifted = resourceResult({
  verdict: 'drifted',
  change: 'will',
  drift: [{ property: 'mode', desired: '0640', observed: '0666' }],
})

function withResult(result: ResourceResult, fields: Partial<Run> = {}): Run {
  return runOf({ policies: [policyResult({ resources: [result], controls: [controlResult()] })], ...fields })
}

test.each<[string, Partial<ResourceResult>]>([
  ['another verdict', { verdict: 'error', reason: 'permission-denied' }],
  ['another value', { drift: [{ property: 'mode', desired: '0640', observed: '0600' }] }],
  ['another property', { drift: [{ property: 'owner', desired: '0640', observed: '0666' }] }],
  ['a waiver', { drift: [{ property: 'mode', desired: '0640', observed: '0666', waiver: 'w' }] }],
  ['a baseline class', { drift: [{ property: 'mode', desired: '0640', observed: '0666', baseline: 'unchanged' }] }],
  ['another severity', { severity: 'high' }],
  ['other controls', { controls: ['base-01'] }],
  ['an unknown property', { unknown: [{ property: 'owner', reason: 'permission-denied', detail: 'no' }] }],
  ['a health check', { health: [{ name: 'web', status: 'CRITICAL', attempts: [] }] }],
  ['a blocking resource', { blockedBy: ['x'] }],
])('%s is another state', (_what, change) => {
  expect(stateOf(withResult({ ...drifted, ...change })).sha256).not.toBe(stateOf(withResult(drifted)).sha256)
})

test.each<[string, Partial<ResourceResult>]>([
  ['how long it took', { durationMs: 77 }],
  ['a sentence', { message: 'it is 3 days old' }],
  ['the output of a command', { output: 'at 12:00' }],
  ['the place in the policy', { source: { file: 'other.yaml', line: 1, column: 1 } }],
  ['the planned actions', { actions: ['x'] }],
])('%s is no other state', (_what, change) => {
  expect(stateOf(withResult({ ...drifted, ...change })).sha256).toBe(stateOf(withResult(drifted)).sha256)
})

test('a run that ended otherwise, on another system or with less of its policy has another state', () => {
  const plain = withResult(drifted)
  const others = [
    withResult(drifted, { exit: { code: 2, reasons: [] } }),
    withResult(drifted, { target: { ...plain.target, os: { id: 'debian', version: '13' } } }),
    withResult(drifted, { policies: plain.policies.map((policy) => ({ ...policy, skipped: 1 })) }),
  ]
  const digests = new Set([plain, ...others].map((run) => stateOf(run).sha256))
  expect(digests.size).toBe(4)
})

test('waivers, versions and policies are circumstances; remaining days and use of a waiver are not', () => {
  const waiver = {
    id: 'w',
    reason: 'r',
    approver: 'a',
    expires: '2027-01-01',
    resource: '*',
    source: { file: 'w.yaml', line: 1, column: 1 },
    state: 'in-force',
    daysLeft: 40,
    expiresSoon: false,
    accepted: 0,
  } as const
  const of = (fields: Partial<Run>): string => circumstancesOf(runOf(fields))
  const plain = of({ waivers: [waiver] })
  expect(of({ waivers: [{ ...waiver, daysLeft: 12, expiresSoon: true, accepted: 3 }] })).toBe(plain)
  const others = [
    of({}),
    of({ waivers: [{ ...waiver, state: 'expired' }] }),
    of({ waivers: [{ ...waiver, expires: '2028-01-01' }] }),
    of({ waivers: [waiver], tool: { name: 'driftgate', version: '9' } }),
    of({ waivers: [waiver], policies: [policyResult({ sha256: 'f'.repeat(64) })] }),
    of({ waivers: [waiver], policies: [policyResult({ inputs: ['--data=other.yaml'] })] }),
  ]
  expect(new Set([plain, ...others]).size).toBe(others.length + 1)
})

test('a delta of few changes in many resources is small', () => {
  const resources = fleetRun(1, 300).policies.flatMap((policy) => policy.resources)
  const changed = resources.map((each, at) => (at === 7 ? { ...each, verdict: 'error' as const } : each))
  const [before, after] = [resources, changed].map((each) => runOf({ policies: [policyResult({ resources: each })] }))
  if (before === undefined || after === undefined) throw new Error('no runs')
  const delta = deltaOf(stated(before), stated(after), SENDER)
  expect(delta?.policies[0]?.resources).toEqual([[0, 7], changed[7], [8, 292]])
  // 300 results that repeat each other are about 10 KB; one of them with the heads is a few hundred bytes.
  const [whole = 0, part = 0] = [before, delta].map((value) => gzipSync(JSON.stringify(value)).length)
  expect(part * 4).toBeLessThan(whole)
})

test.each([
  ['more than the base has', [[0, 2]]],
  [
    'a resource twice',
    [
      [0, 1],
      [0, 1],
    ],
  ],
])('a delta that takes %s gives nothing', (_what, resources) => {
  const base = withResult(drifted)
  const delta = deltaOf(stated(base), stated(withResult(resourceResult())), SENDER)
  const read = readDelta(sent({ ...delta, policies: [{ ...delta?.policies[0], resources }] }))
  expect(read && applyDelta(base, read)).toEqual({ reason: expect.stringContaining('does not fit') })
})

test('a valid beat is read as it was sent, and an invalid one is rejected', () => {
  const run = withResult(drifted)
  const sender: SenderNote = {
    ...SENDER,
    bootId: '3e1e3f4c-7c53-4f3d-8bb0-0c9b2a1c3f7e',
    nextDue: '2026-11-20T13:00:00.000Z',
    assignment: { to: 'ring.all', version: 3, sha256: 'a'.repeat(64) },
  }
  const beat = beatOf(run, { run: 'before', sha256: stateOf(run).sha256 }, sender)
  expect(readBeat(sent({ ...beat, more: 1 }))).toEqual(beat)
  expect(gzipSync(JSON.stringify(beat)).length).toBeLessThan(1024)
  const wrong: readonly object[] = [
    { ...beat, schema: 'driftgate.beat/v2' },
    { ...beat, same: { run: 'before' } },
    { ...beat, exitCode: -1 },
    { ...beat, run: { ...run.run, startedAt: 'today' } },
    { ...beat, run: { ...run.run, mode: 'fix' } },
    { ...beat, policies: [{ id: 1 }] },
    { ...beat, waiversSha256: '' },
    { ...beat, sender: { ...sender, lost: '1' } },
    { ...beat, sender: { ...sender, bootId: 'x'.repeat(201) } },
    { ...beat, sender: { ...sender, assignment: { to: 'ring.all' } } },
  ]
  for (const each of wrong) expect([each, readBeat(sent(each))]).toEqual([each, undefined])
})

test('only a whole audit that came to its end can be a beat', () => {
  const plain = withResult(drifted)
  expect(mayBeBeat(plain)).toBe(true)
  const others: readonly Run[] = [
    { ...plain, policies: [] },
    { ...plain, policies: [policyResult({ skipped: 1 })] },
    { ...plain, run: { ...plain.run, mode: 'fix' } },
    { ...plain, run: { ...plain.run, interrupted: true } },
    { ...plain, exit: { code: 1, reasons: [] } },
  ]
  expect(others.map(mayBeBeat)).toEqual([false, false, false, false, false])
})
