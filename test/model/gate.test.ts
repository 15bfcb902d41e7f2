import { expect, test } from 'vitest'
import { compareExits, decideExit, type GateInput, interruptionOf, summarize } from '../../src/model/gate.ts'
import type { ResourceResult } from '../../src/model/run.ts'
import { type Severity, type Verdict, VERDICTS } from '../../src/model/verdict.ts'

function result(verdict: Verdict, severity: Severity = 'medium'): ResourceResult {
  return {
    id: 'file#/x',
    type: 'file',
    name: '/x',
    verdict,
    drift: [],
    actions: [],
    severity,
    controls: [],
    source: { file: 'policy.yaml', line: 1, column: 1 },
    durationMs: 0,
  }
}

function exitOf(verdicts: readonly Verdict[], extra: Partial<GateInput> = {}): number {
  return decideExit({ results: verdicts.map((verdict) => result(verdict)), failOn: 'info', mode: 'audit', ...extra })
    .code
}

test.each<[readonly Verdict[], number]>([
  [['compliant'], 0],
  [['fixed', 'compliant'], 0],
  [['waived'], 0],
  [['compliant', 'not-applicable'], 0],
  [['drifted', 'compliant'], 2],
  [['error', 'compliant'], 3],
  [['blocked', 'compliant'], 3],
  [['fix-failed', 'fixed'], 4],
  [['not-applicable', 'not-applicable'], 5],
  [[], 5],
])('%j exits with %i', (verdicts, code) => {
  expect(exitOf(verdicts)).toBe(code)
})

test('exit codes are in the order of their weight, the worst first', () => {
  expect([0, 5, 3, 2, 4, 143, 130, 129, 1].toSorted(compareExits)).toEqual([1, 129, 130, 143, 4, 2, 3, 5, 0])
  expect([0, 1].toSorted(compareExits)).toEqual([1, 0])
})

test('precedence is fix-failed, drift, undecided', () => {
  expect(exitOf(['error', 'drifted', 'fix-failed'])).toBe(4)
  expect(exitOf(['error', 'blocked', 'drifted'])).toBe(2)
  expect(exitOf(['error', 'not-applicable'])).toBe(3)
})

test.each<[unknown, number, string]>([
  ['SIGHUP', 129, 'interrupted by SIGHUP'],
  ['SIGINT', 130, 'interrupted by SIGINT'],
  ['SIGTERM', 143, 'interrupted by SIGTERM'],
  [new Error('the job was cancelled'), 130, 'interrupted: the job was cancelled'],
  ['SIGNAL of mine', 130, 'interrupted: SIGNAL of mine'],
  [undefined, 130, 'interrupted: This operation was aborted'],
  [{}, 130, 'interrupted: its caller gave no reason'],
  ['', 130, 'interrupted: its caller gave no reason'],
])('an interruption by %o decides the exit code, with any verdict', (reason, code, words) => {
  const interruption = interruptionOf(AbortSignal.abort(reason)) ?? { code: 0, words: '' }
  expect(exitOf(['drifted'], { interruption })).toBe(code)
  expect(exitOf(['fix-failed'], { interruption })).toBe(code)
  const exit = decideExit({ results: [], failOn: 'info', mode: 'audit', interruption })
  expect(exit).toEqual({ code, reasons: [`${words}; the remaining resources were not evaluated`] })
  expect(interruptionOf(new AbortController().signal)).toBeUndefined()
})

test('drift below the threshold is said but does not fail the gate', () => {
  const results = [result('drifted', 'low'), result('compliant')]
  const below = decideExit({ results, failOn: 'medium', mode: 'audit' })
  expect(below).toEqual({ code: 0, reasons: ['1 resource drifted below severity medium'] })
  expect(decideExit({ results, failOn: 'low', mode: 'audit' }).code).toBe(2)
})

test('below the threshold an error still shows', () => {
  const results = [result('drifted', 'low'), result('error')]
  expect(decideExit({ results, failOn: 'high', mode: 'audit' }).code).toBe(3)
})

test('every kind of trouble has its reason, the deciding one first', () => {
  const results = (['error', 'blocked', 'drifted', 'drifted', 'fix-failed'] as const).map((verdict) => result(verdict))
  const { reasons } = decideExit({ results: [...results, result('drifted', 'info')], failOn: 'low', mode: 'fix' })
  expect(reasons).toEqual([
    '1 resource failed to fix',
    '2 resources drifted at or above severity low',
    '1 resource unknown',
    '1 resource blocked',
    '1 resource drifted below severity low',
  ])
})

test('known drift of a baseline does not count and is reported, other drift counts', () => {
  const drift = { property: 'mode', desired: '0644', observed: '0664' }
  const known = { ...result('drifted'), drift: [{ ...drift, baseline: 'unchanged' }] } as const
  const fresh = { ...result('drifted'), drift: [{ ...drift, baseline: 'new' }] } as const
  const input = { failOn: 'info', mode: 'audit', hasBaseline: true } as const
  expect(decideExit({ ...input, results: [known] })).toEqual({
    code: 0,
    reasons: ['1 resource drifted as in the baseline'],
  })
  expect(decideExit({ ...input, results: [known, fresh] })).toEqual({
    code: 2,
    reasons: [
      '1 resource drifted at or above severity info beyond the baseline',
      '1 resource drifted as in the baseline',
    ],
  })
  // Fixed drift is not known drift.
  expect(decideExit({ ...input, results: [{ ...known, verdict: 'fixed' }] })).toEqual({ code: 0, reasons: [] })
})

test('a waiver that ended is named where it would still be needed', () => {
  const terms = { reason: 'known', approver: 'Ada', covers: ['mode'] }
  const drift = [{ property: 'mode', desired: '0644', observed: '0664' }]
  const waivers = [
    { ...terms, id: 'w', expires: '2026-11-01', state: 'expired' },
    { ...terms, id: 'l', expires: '2026-12-01', state: 'lapsed' },
    { ...terms, id: 'o', expires: '2026-11-02', state: 'expired', covers: ['owner'] },
  ] as const
  const exitWith = (results: readonly ResourceResult[]): readonly string[] =>
    decideExit({ results, failOn: 'info', mode: 'audit' }).reasons
  expect(exitWith([{ ...result('drifted'), drift, waivers }])).toEqual([
    '1 resource drifted at or above severity info',
    '1 waiver expired: w (2026-11-01)',
  ])
  const accepted = drift.map((each) => ({ ...each, waiver: 'x' }))
  expect(exitWith([{ ...result('drifted'), drift: accepted, waivers }])).toEqual([
    '1 resource drifted as in the baseline',
  ])
  expect(exitWith([{ ...result('compliant'), waivers }])).toEqual([])
  expect(exitWith([{ ...result('fixed'), drift, waivers }])).toEqual([])
})

test('a run that evaluated nothing says why', () => {
  const reasonsOf = (results: readonly ResourceResult[]): readonly string[] =>
    decideExit({ results, failOn: 'info', mode: 'audit' }).reasons
  expect(reasonsOf([])).toEqual(['nothing was evaluated: no resource matches the selection'])
  expect(reasonsOf([result('not-applicable')])).toEqual(['nothing was evaluated: no resource applies to this host'])
})

test('the summary counts every verdict', () => {
  const summary = summarize([...VERDICTS, 'drifted' as const].map((verdict) => result(verdict)))
  expect(summary).toEqual({
    total: 9,
    compliant: 1,
    drifted: 2,
    fixed: 1,
    'fix-failed': 1,
    error: 1,
    blocked: 1,
    'not-applicable': 1,
    waived: 1,
  })
})

/** Results as the engine lists them: each `[type, verdict, depth]`, what is below an apply resource after it. */
function nested(...results: readonly (readonly [type: string, verdict: Verdict, depth: number])[]): ResourceResult[] {
  return results.map(([type, verdict, depth]) => ({
    ...result(verdict),
    type,
    ...(depth === 0 ? {} : { path: Array.from({ length: depth }, (_, level) => `apply#${level}`) }),
  }))
}

test('an apply resource is not counted, its children are', () => {
  const results = nested(
    ['apply', 'drifted', 0],
    ['file', 'drifted', 1],
    ['apply', 'compliant', 1],
    ['file', 'compliant', 2],
    ['file', 'compliant', 0],
  )
  expect(summarize(results)).toMatchObject({ total: 3, drifted: 1, compliant: 2 })
  const exit = decideExit({ results, failOn: 'info', mode: 'audit' })
  expect(exit).toEqual({ code: 2, reasons: ['1 resource drifted at or above severity info'] })
})

test.each<[string, Verdict, number]>([
  ['ruled out', 'not-applicable', 5],
  ['not to be evaluated', 'error', 3],
])('an apply resource that is %s has nothing below it and counts itself', (_title, verdict, code) => {
  const results = nested(['apply', verdict, 0])
  expect(summarize(results)).toMatchObject({ total: 1, [verdict]: 1 })
  expect(decideExit({ results, failOn: 'info', mode: 'audit' }).code).toBe(code)
})

test('an apply resource with health checks of its own counts for them', () => {
  const [own, ...below] = nested(['apply', 'drifted', 0], ['file', 'compliant', 1])
  const results = [{ ...result('drifted'), ...own, health: [] }, ...below]
  expect(summarize(results)).toMatchObject({ total: 2, drifted: 1 })
  expect(decideExit({ results, failOn: 'info', mode: 'audit' }).code).toBe(2)
})

test('waivers that expired are named once where their drift is open again, and decide nothing by themselves', () => {
  const terms = { reason: 'known', approver: 'Ada', expires: '2026-10-01', covers: ['mode'] }
  const use = (id: string, state: 'in-force' | 'expired' | 'lapsed') => ({ ...terms, id, state })
  const drift = [{ property: 'mode', desired: '0644', observed: '0600' }]
  const open: ResourceResult = {
    ...result('drifted', 'low'),
    drift,
    waivers: [use('a', 'expired'), use('b', 'lapsed')],
  }
  const again: ResourceResult = { ...open, waivers: [use('a', 'expired'), use('c', 'expired')] }
  const elsewhere: ResourceResult = { ...open, drift: drift.map((each) => ({ ...each, waiver: 'd' })) }
  const exit = (results: readonly ResourceResult[]) => decideExit({ results, failOn: 'medium', mode: 'audit' })
  expect(exit([open])).toEqual({
    code: 0,
    reasons: ['1 resource drifted below severity medium', '1 waiver expired: a (2026-10-01)'],
  })
  expect(exit([open, again]).reasons).toContain('2 waivers expired: a (2026-10-01), c (2026-10-01)')
  expect(exit([elsewhere]).reasons.join()).not.toContain('expired')
})
