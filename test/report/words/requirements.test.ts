import { expect, test } from 'vitest'
import type { ControlResult, ResourceResult, Run } from '../../../src/model/run.ts'
import type { Severity, Verdict } from '../../../src/model/verdict.ts'
import { answerOf, describeAnswer } from '../../../src/report/words/answer.ts'
import { coverageOf, describeCoverage, skippedIn } from '../../../src/report/words/coverage.ts'
import { requirementsOf, worstRequirementsFirst } from '../../../src/report/words/requirements.ts'
import { scoreOf } from '../../../src/report/words/score.ts'
import { controlResult, policyResult, resourceResult, runOf } from '../../support/run.ts'

const drift = [{ property: 'mode', desired: '0600', observed: '0644' }]

type Spec = readonly [id: string, severity: Severity, verdict: Verdict | 'not-evaluated']

/** A run of controls that each have one resource with the same verdict. */
function runWith(...controls: readonly Spec[]): Run {
  const results = controls.flatMap(([id, severity, verdict]): ResourceResult[] =>
    verdict === 'not-evaluated'
      ? []
      : [
          resourceResult({
            name: `/${id}`,
            controls: [id],
            severity,
            verdict,
            drift: verdict === 'drifted' ? drift : [],
          }),
        ],
  )
  return runOf({
    policies: [
      policyResult({
        resources: results,
        controls: controls.map(([id, severity, verdict]): ControlResult =>
          controlResult({ id, severity, verdict, resources: [`file#/${id}`] }),
        ),
      }),
    ],
  })
}

test('a control has the state of its resources, and a resource without a control stands for itself', () => {
  const known = [{ property: 'mode', desired: '1', observed: '2', baseline: 'unchanged' as const }]
  const run = runOf({
    policies: [
      policyResult({
        resources: [
          resourceResult({ name: '/a', controls: ['both'], verdict: 'error' }),
          resourceResult({ name: '/b', controls: ['both', 'known'], verdict: 'drifted', drift: known }),
          resourceResult({ name: '/c', controls: ['both'], verdict: 'drifted', drift }),
          resourceResult({ name: '/d', controls: ['undecided'], verdict: 'blocked' }),
          resourceResult({ name: '/e', controls: ['person'] }),
          resourceResult({ name: '/f', verdict: 'waived' }),
        ],
        controls: [
          controlResult({ id: 'both', verdict: 'error' }),
          controlResult({ id: 'known', verdict: 'drifted' }),
          controlResult({ id: 'undecided', verdict: 'blocked' }),
          controlResult({ id: 'person', verdict: 'not-evaluated' }),
          controlResult({ id: 'gone', verdict: 'not-applicable' }),
        ],
      }),
    ],
  })
  expect(requirementsOf(run).map(({ id, standing, results }) => [id, standing, results.length])).toEqual([
    // What could not be decided does not hide what is proved.
    ['both', 'drifted', 3],
    ['known', 'known', 1],
    ['undecided', 'undecided', 1],
    ['person', 'manual', 1],
    ['gone', 'not-applicable', 0],
    ['file#/f', 'waived', 1],
  ])
})

test('the gravest drift comes first, then undecided requirements; equals keep their order', () => {
  const run = runWith(
    ['met', 'critical', 'compliant'],
    ['low', 'low', 'drifted'],
    ['error', 'critical', 'error'],
    ['person', 'high', 'not-evaluated'],
    ['high-1', 'high', 'drifted'],
    ['high-2', 'high', 'drifted'],
    ['failed', 'high', 'fix-failed'],
    ['accepted', 'critical', 'waived'],
    ['elsewhere', 'critical', 'not-applicable'],
  )
  expect(worstRequirementsFirst(requirementsOf(run)).map(({ id }) => id)).toEqual([
    'failed',
    'high-1',
    'high-2',
    'low',
    'error',
    'person',
    'accepted',
    'met',
    'elsewhere',
  ])
})

test('the answer counts drift by severity and never compliant requirements', () => {
  const run = runWith(
    ['a', 'critical', 'compliant'],
    ['b', 'high', 'drifted'],
    ['c', 'high', 'fix-failed'],
    ['d', 'low', 'drifted'],
    ['e', 'critical', 'waived'],
    ['f', 'critical', 'error'],
  )
  const answer = answerOf(run)
  expect(answer).toEqual({
    kind: 'not-compliant',
    drifted: [
      { severity: 'high', count: 2 },
      { severity: 'low', count: 1 },
    ],
    known: 0,
    undecided: 1,
    total: 3,
  })
  expect(describeAnswer(answer, requirementsOf(run))).toBe('3 of 6 controls drifted (2 high, 1 low), 1 unknown')
})

test.each([
  ['compliant', runWith(['a', 'high', 'compliant'], ['b', 'low', 'waived'], ['c', 'low', 'not-applicable'])],
  ['undecided', runWith(['a', 'high', 'compliant'], ['b', 'low', 'error'])],
  ['undecided', runWith(['a', 'high', 'not-evaluated'])],
  ['undecided', runWith(['a', 'high', 'not-applicable'])],
  ['undecided', { ...runWith(['a', 'high', 'compliant']), run: { ...runOf().run, interrupted: true } }],
  ['not-compliant', runWith(['a', 'high', 'drifted'], ['b', 'low', 'error'])],
])('the answer is %s', (kind, run) => {
  expect(answerOf(run).kind).toBe(kind)
})

test.each([
  ['no drift', runWith(['a', 'high', 'compliant'])],
  ['1 control fixed, no drift left', runWith(['a', 'high', 'compliant'], ['b', 'low', 'fixed'])],
  ['no drift except 2 waived', runWith(['a', 'high', 'waived'], ['b', 'low', 'waived'])],
])('the answer for a compliant run: %s', (words, run) => {
  expect(describeAnswer(answerOf(run), requirementsOf(run))).toBe(words)
})

test('drift that the baseline has is drift, and said to be known', () => {
  const known = [{ property: 'mode', desired: '1', observed: '2', baseline: 'unchanged' as const }]
  const run = runOf({ policies: [policyResult({ resources: [resourceResult({ verdict: 'drifted', drift: known })] })] })
  const answer = answerOf(run)
  expect(answer).toMatchObject({ kind: 'not-compliant', known: 1, total: 1 })
  expect(describeAnswer(answer, requirementsOf(run))).toBe(
    '1 of 1 resource drifted (1 medium), all in the reference report',
  )
})

type Case = readonly [name: string, controls: readonly Spec[], expected: unknown]

// The weights of docs/guide/severities.md: critical 10, high 7, medium 5, low 3, info 1.
const SCORES: readonly Case[] = [
  [
    'all is met',
    [
      ['a', 'critical', 'compliant'],
      ['b', 'info', 'fixed'],
    ],
    100,
  ],
  [
    'almost all is not 100',
    [
      ['a', 'info', 'drifted'],
      ...Array.from({ length: 99 }, (_, index) => [`m${index}`, 'critical', 'compliant'] as const),
    ],
    99,
  ],
  [
    'a critical one weighs more',
    [
      ['a', 'critical', 'drifted'],
      ['b', 'low', 'compliant'],
      ['c', 'high', 'compliant'],
    ],
    50,
  ],
  [
    'undecided is not met',
    [
      ['a', 'medium', 'error'],
      ['b', 'medium', 'blocked'],
      ['c', 'medium', 'compliant'],
    ],
    33,
  ],
  [
    'requirements that do not count',
    [
      ['a', 'critical', 'waived'],
      ['b', 'critical', 'not-evaluated'],
      ['c', 'critical', 'not-applicable'],
      ['d', 'low', 'compliant'],
    ],
    100,
  ],
  ['nothing counts', [['a', 'critical', 'waived']], undefined],
]

test.each(SCORES)('score: %s', (_name, controls, expected) => {
  expect(scoreOf(requirementsOf(runWith(...controls)))).toBe(expected)
})

test('coverage adds up, and leaves out zero counts', () => {
  const run = runWith(
    ['a', 'critical', 'compliant'],
    ['b', 'high', 'drifted'],
    ['c', 'low', 'waived'],
    ['d', 'low', 'error'],
    ['e', 'low', 'not-evaluated'],
    ['f', 'low', 'not-applicable'],
  )
  const requirements = requirementsOf(run)
  const coverage = coverageOf(requirements, skippedIn([{ skipped: 4 }, {}]))
  expect(coverage).toEqual({ total: 10, decided: 3, notApplicable: 1, manual: 1, undecided: 1, skipped: 4 })
  expect(describeCoverage(coverage, requirements)).toBe(
    '10 controls: 3 evaluated, 1 not applicable, 1 manual (needs review), 1 unknown, 4 skipped',
  )
  const [met] = requirements
  expect(describeCoverage(coverageOf(met === undefined ? [] : [met], 0), requirements)).toBe('1 control: 1 evaluated')
})
