import { expect, test } from 'vitest'
import { type Comparable, type Difference, cannot, differences, missing } from '../../src/model/differences.ts'

const FIX = { action: 'set', text: 'Would have set it' }

function compare(original: Comparable, desired: Comparable, extra: Partial<Difference> = {}): unknown {
  return differences([{ property: 'p', original, desired, ...extra }], { fix: FIX }).drift
}

test.each<[string, Comparable, Comparable]>([
  ['the same text', 'a', 'a'],
  ['the same number', 0, 0],
  ['nothing wanted', 'a', undefined],
  ['nothing there and nothing wanted', undefined, undefined],
  ['nothing there, as wanted', undefined, null],
  ['the same content', { sha256: 'aa', sizeBytes: 1 }, { sha256: 'aa', sizeBytes: 1 }],
])('%s is no difference', (_title, original, desired) => {
  expect(compare(original, desired)).toEqual([])
})

test.each<[string, Comparable, Comparable, object]>([
  ['another text', 'a', 'b', { desired: 'b', observed: 'a' }],
  ['a number and its text', 1, '1', { desired: '1', observed: 1 }],
  ['nothing there', undefined, 'b', { desired: 'b', observed: null }],
  ['something where nothing is wanted', 'a', null, { desired: null, observed: 'a' }],
  ['empty text where nothing is wanted', '', null, { desired: null, observed: '' }],
  ['false is not nothing', false, null, { desired: null, observed: false }],
  [
    'other content',
    { sha256: 'aa', sizeBytes: 1 },
    { sha256: 'bb', sizeBytes: 1 },
    { desired: { sha256: 'bb', sizeBytes: 1 }, observed: { sha256: 'aa', sizeBytes: 1 } },
  ],
])('%s is a difference with both values', (_title, original, desired, values) => {
  expect(compare(original, desired)).toEqual([{ property: 'p', ...values }])
})

test('an empty value is shown with the words of the type', () => {
  expect(compare('', 'x', { whenEmpty: '(none)' })).toEqual([{ property: 'p', desired: 'x', observed: '(none)' }])
  expect(compare('x', null, { whenEmpty: '(none)' })).toEqual([{ property: 'p', desired: '(none)', observed: 'x' }])
  expect(compare(0, 1, { whenEmpty: '(none)' })).toEqual([{ property: 'p', desired: 1, observed: 0 }])
})

test('path, diff and note are kept, and the order', () => {
  const entry = { property: 'p', original: 1, desired: 2 }
  const { drift } = differences(
    [
      { ...entry, path: 'b', note: 'n' },
      { ...entry, desired: 1 },
      { ...entry, diff: 'd' },
    ],
    {
      fix: FIX,
    },
  )
  expect(drift).toEqual([
    { property: 'p', desired: 2, observed: 1, path: 'b', note: 'n' },
    { property: 'p', desired: 2, observed: 1, diff: 'd' },
  ])
})

test('the plan follows from the differences and the obstacles', () => {
  const same = [{ property: 'p', original: 1, desired: 1 }]
  const other = [{ property: 'p', original: 1, desired: 2 }]
  const [wall, end] = [cannot('a wall'), cannot('the end', { fatal: 'invalid' })]
  expect(differences(same, { fix: FIX, obstacles: [wall] }).plan).toEqual({ kind: 'none' })
  expect(differences(same, { fix: FIX, obstacles: [wall, end] }).plan).toEqual({ kind: 'refuse', obstacles: [end] })
  expect(differences(other, { fix: FIX, obstacles: [wall] }).plan).toEqual({ kind: 'act', ...FIX, obstacles: [wall] })
  expect(differences(other, { obstacles: [wall] }).plan).toEqual({ kind: 'refuse', obstacles: [wall] })
  expect(() => differences(other)).toThrow('p differs, but the decision says neither what a fix does nor why it cannot')
})

test('the rest is handed on, and left out where it is empty', () => {
  expect(differences([])).toEqual({
    ensure: { desired: 'present', observed: 'present' },
    drift: [],
    unknown: [],
    plan: { kind: 'none' },
  })
  const unread = { property: 'p', reason: 'timeout', detail: 'd' } as const
  expect(differences([], { unknown: [unread], messages: ['m'], warnings: ['w'] })).toMatchObject({
    unknown: [unread],
    messages: ['m'],
    warnings: ['w'],
  })
})

test('something that is missing has one difference', () => {
  expect(missing({ obstacles: [cannot('its directory is missing', { missing: '/a' })] })).toEqual({
    ensure: { desired: 'present', observed: 'absent' },
    drift: [{ property: 'ensure', desired: 'present', observed: 'absent' }],
    unknown: [],
    plan: { kind: 'refuse', obstacles: [{ reason: 'its directory is missing', missing: '/a' }] },
  })
})

test('the sentence of a plan is built from the effects of a fix', () => {
  const changed = [{ property: 'p', original: 1, desired: 2 }]
  const effects = [
    { kind: 'write', object: 'the line' },
    { kind: 'run', object: 'newaliases' },
  ] as const
  expect(differences(changed, { fix: { action: 'set', effects } }).plan).toEqual({
    kind: 'act',
    action: 'set',
    effects,
    text: 'Would have written the line, run newaliases',
    obstacles: [],
  })
})

test('a sentence in another tense is a mistake of the type', () => {
  const changed = [{ property: 'p', original: 1, desired: 2 }]
  expect(() => differences(changed, { fix: { action: 'set', text: 'Set it up' } })).toThrow(
    '"Set it up" is a plan that does not begin with "Would have"',
  )
})
