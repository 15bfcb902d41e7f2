import { expect, test } from 'vitest'
import type { Drift, ReportValue } from '../../../src/model/drift.ts'
import type { ResourceResult } from '../../../src/model/run.ts'
import { VERDICTS } from '../../../src/model/verdict.ts'
import { differencesOf } from '../../../src/report/words/differences.ts'
import { resourceResult } from '../../support/run.ts'

const mode: Drift = { property: 'mode', desired: '0600', observed: '0644' }
const owner: Drift = { property: 'owner', desired: 'root', observed: 'app' }
const gone: Drift = { property: 'ensure', desired: 'present', observed: 'absent' }
const unhealthy: Drift = { property: 'health', desired: 'OK', observed: 'CRITICAL' }
const content: Drift = {
  property: 'content',
  desired: { sha256: 'a'.repeat(64), sizeBytes: 1 },
  observed: { sha256: 'b'.repeat(64), sizeBytes: 1 },
  diff: '@@ -1 +1 @@\n-b\n+a\n',
}
const secret: Drift = {
  property: 'password',
  desired: { redacted: true, digest: 'want' },
  observed: { redacted: true, digest: 'found' },
}

type Values = readonly [name: string, original: ReportValue, current: ReportValue]

function changesOf(fields: Partial<ResourceResult>): readonly Values[] {
  const { changes } = differencesOf(resourceResult(fields))
  return changes.map(({ drift, original, current }) => [drift.path ?? drift.property, original, current])
}

const toRoot: Values = ['owner', 'app', 'root']
const toPrivate: Values = ['mode', '0644', '0600']

test.each(['drifted', 'fixed'] as const)(
  'the changes of a %s resource go from the observed to the desired value',
  (verdict) => {
    expect(changesOf({ verdict, drift: [owner, mode] })).toEqual([toPrivate, toRoot])
  },
)

test.each(VERDICTS.filter((verdict) => !['drifted', 'fixed', 'fix-failed'].includes(verdict)))(
  'a resource that is %s has no changes',
  (verdict) => {
    expect(differencesOf(resourceResult({ verdict, drift: [mode] }))).toEqual({ changes: [], unverified: [] })
  },
)

test.each<[rule: string, drift: readonly Drift[], remaining: readonly Drift[], changes: readonly Values[]]>([
  ['unchanged remaining drift is no change', [mode], [mode], []],
  ['drift that does not remain was reached', [mode, owner], [mode], [toRoot]],
  [
    'a third value after the fix is shown',
    [mode, owner],
    [{ ...mode, observed: '0000' }],
    [['mode', '0644', '0000'], toRoot],
  ],
  ['a created file was reached though its mode was not', [gone], [mode], [['ensure', 'absent', 'present']]],
  [
    'files inside one resource are told apart',
    [
      { ...mode, path: 'a' },
      { ...mode, path: 'b' },
    ],
    [{ ...mode, path: 'a' }],
    [['b', '0644', '0600']],
  ],
  ['contents and secrets are told apart by their digests', [content, secret], [content, secret], []],
  [
    'a content that became another one',
    [content],
    [{ ...content, observed: { sha256: 'c'.repeat(64), sizeBytes: 1 } }],
    [['content', content.observed, { sha256: 'c'.repeat(64), sizeBytes: 1 }]],
  ],
  [
    'a secret that became another one',
    [secret],
    [{ ...secret, observed: { redacted: true, digest: 'other' } }],
    [['password', secret.observed, { redacted: true, digest: 'other' }]],
  ],
  ['of two dimensions one was reached', [{ ...gone, property: 'ensure' }, owner], [gone], [toRoot]],
])('after a fix that failed %s', (_rule, drift, remaining, changes) => {
  expect(changesOf({ verdict: 'fix-failed', drift, remaining })).toEqual(changes)
})

test.each<[situation: string, fields: Partial<ResourceResult>]>([
  ['there was no second observation', { remaining: [] }],
  ['only a health check was asked', { remaining: [unhealthy] }],
  ['the thing is gone now', { remaining: [gone] }],
])('nothing is said to be reached where %s', (_situation, fields) => {
  const result = resourceResult({ verdict: 'fix-failed', drift: [mode, owner], ...fields })
  expect(differencesOf(result)).toEqual({ changes: [], unverified: [mode, owner] })
})

test('a health check that fails after a fix does not hide the reached changes', () => {
  const fields = {
    verdict: 'fix-failed',
    drift: [mode],
    remaining: [unhealthy],
    actions: ['Updated attributes'],
  } as const
  expect(changesOf(fields)).toEqual([toPrivate])
})

test('a diff is shown only if it leads to the reached value', () => {
  const other = { ...content, observed: null }
  const differences = differencesOf(resourceResult({ verdict: 'fix-failed', drift: [content], remaining: [other] }))
  expect(differences.changes.map(({ drift }) => drift.diff)).toEqual([undefined])
  const reached = differencesOf(resourceResult({ verdict: 'fixed', drift: [content] }))
  expect(reached.changes.map(({ drift }) => drift.diff)).toEqual([content.diff])
})
