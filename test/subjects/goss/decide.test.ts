import { describe, expect, test } from 'vitest'
import { unknown } from '../../../src/model/observation.ts'
import { judgeResource } from '../../../src/subjects/goss/files/judge.ts'
import { readGoss } from '../../../src/subjects/goss/files/read.ts'
import type { GossContent, Measured } from '../../../src/subjects/goss/files/resource.ts'
import { decideGoss, type Examined } from '../../../src/subjects/goss/decide.ts'

type Measurements = Readonly<Record<string, Measured>>

const known = (value: unknown): Measured => ({ kind: 'known', value: value as GossContent })

function examined(rules: GossContent, measured: Measurements): readonly Examined[] {
  const map = new Map(Object.entries(measured))
  return readGoss(rules).resources.map((resource) => ({ resource, results: judgeResource(resource, map) }))
}

const decide = (rules: GossContent, measured: Measurements, contentsHidden = false): ReturnType<typeof decideGoss> =>
  decideGoss({ examined: examined(rules, measured), contentsHidden })

describe('decide', () => {
  test('nothing differs', () => {
    const decision = decide({ file: { x: { exists: true } } }, { exists: known(true) })
    expect(decision).toMatchObject({ drift: [], unknown: [], plan: { kind: 'none' } })
  })

  test('a difference is not fixed', () => {
    const decision = decide({ file: { x: { exists: true } } }, { exists: known(false) })
    expect(decision.drift).toEqual([{ property: 'exists', desired: true, observed: false }])
    expect(decision.plan).toMatchObject({ kind: 'refuse' })
  })

  test('attributes of an absent resource are not judged, with a message', () => {
    const rules = { file: { x: { exists: false, mode: '0644', uid: 0 } } }
    expect(decide(rules, { exists: known(false) }).messages).toEqual([
      'not evaluated, because the resource does not exist: mode, uid',
    ])
  })

  test('contents of files are not shown', () => {
    const rules = { file: { x: { exists: true, contents: ['a', '!b'] } } }
    const [drift] = decide(rules, { exists: known(true), contents: known({ text: 'b\nc' }) }).drift
    expect(drift).toEqual({
      property: 'contents',
      desired: '["a","!b"]',
      observed: 'text of 2 lines',
      note: 'does not meet the patterns "a", "!b"',
      // For the digest alone.
      whole: 'b\nc',
    })
    const [single] = decide(rules, { exists: known(true), contents: known({ text: 'b\n' }) }).drift
    expect(single?.observed).toBe('text of 1 line')
  })

  test('a list that is not the one value says why', () => {
    const decision = decide(
      { package: { x: { installed: true, versions: '1' } } },
      {
        installed: known(true),
        versions: known(['1', '2']),
      },
    )
    expect(decision.drift).toMatchObject([
      { desired: '1', observed: '["1","2"]', note: expect.stringContaining('"1"') },
    ])
  })

  test('an output is, and of a long one the start', () => {
    const rules = { command: { x: { 'exit-status': 0, stdout: 'yes' } } }
    const told = (text: string): unknown => decide(rules, { 'exit-status': known(0), stdout: known({ text }) }).drift[0]
    expect(told('no')).toMatchObject({ desired: 'yes', observed: 'no', note: 'is not equal to "yes"' })
    expect(told('no\n'.repeat(1000))).toMatchObject({
      observed: `${'no\n'.repeat(332)}no`,
      note: 'is not equal to "yes"; 998 of 3000 characters are shown',
    })
  })

  test('nothing of a text is shown to others', () => {
    const rules = { command: { x: { 'exit-status': 0, stdout: 'yes' } } }
    const measured = { 'exit-status': known(0), stdout: known({ text: 'no' }) }
    expect(decide(rules, measured, true).drift).toMatchObject([{ property: 'stdout', conceal: true }])
    expect(decide(rules, { ...measured, 'exit-status': known(1) }, true).drift[0]).not.toHaveProperty('conceal')
  })

  test('an unreadable attribute is unknown, with its resource if there are several', () => {
    const rules = { file: { x: { exists: true }, y: { exists: true } } }
    expect(decide(rules, { exists: unknown('permission-denied', 'no') }).unknown).toEqual([
      { property: 'exists', reason: 'permission-denied', detail: 'file:x: no' },
      { property: 'exists', reason: 'permission-denied', detail: 'file:y: no' },
    ])
  })

  test('lists and nothing are shown as JSON', () => {
    const rules = { matching: { x: { matches: ['a'] } } }
    expect(decide(rules, { matches: known(['b']) }).drift).toMatchObject([{ observed: '["b"]', note: 'missing "a"' }])
    expect(decide(rules, { matches: known(null) }).drift).toMatchObject([{ observed: null, note: 'is not a list' }])
  })
})
