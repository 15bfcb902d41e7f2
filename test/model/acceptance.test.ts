import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type Acceptance,
  ACCEPTANCE_WORDS,
  acceptanceProblem,
  acceptedFor,
  type Condition,
  CONDITIONS,
  formatAcceptance,
  isAcceptance,
  isAccepted,
  mapAcceptance,
  type ValueOrder,
} from '../../src/model/acceptance.ts'
import {
  DEBIAN_VERSIONS,
  LINES,
  LISTS,
  type ListItem,
  MODES,
  NUMBERS,
  ORDER_CONDITIONS,
  RPM_VERSIONS,
  SETS,
} from '../../src/model/value-orders.ts'
import { matchesWhole, TEXTS } from '../../src/resource-type/text-order.ts'
import { cases } from '../support/soak.ts'

/** Acceptances of one to three of these words, with a fix or without; every operand is drawn from a few values, so that they often meet. */
function acceptances<Value, Item>(
  value: fc.Arbitrary<Value>,
  item: fc.Arbitrary<Item>,
  words: readonly Condition[],
): fc.Arbitrary<Acceptance<Value, Item>> {
  const list = fc.array(value, { minLength: 1, maxLength: 3 })
  const operands: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
    one_of: list,
    none_of: list,
    includes: fc.array(item, { minLength: 1, maxLength: 3 }),
    excludes: fc.array(item, { minLength: 1, maxLength: 3 }),
    matches: fc.constantFrom('a+', '[ab]*', 'b'),
    not_matches: fc.constantFrom('a+', '[ab]*', 'b'),
  }
  const withWords = (chosen: readonly string[]): fc.Arbitrary<object> => {
    const record = Object.fromEntries([...chosen, 'fix'].map((word) => [word, operands[word] ?? value]))
    return fc.record(record, { requiredKeys: [...chosen] })
  }
  return fc.subarray([...words], { minLength: 1, maxLength: 3 }).chain(withWords)
}

const letters = fc.constantFrom('a', 'b', 'c')
const bits = fc.integer({ min: 0, max: 0o17 })

function checkLaws<Value, Item>(
  order: ValueOrder<Value, Item>,
  value: fc.Arbitrary<Value>,
  acceptance: fc.Arbitrary<Acceptance<Value, Item>>,
): void {
  let fixed = 0
  fc.assert(
    fc.property(value, acceptance, (observed, accepting) => {
      const written = acceptedFor(order, accepting, observed)
      if (isAccepted(order, accepting, observed)) expect(written).toBe(observed)
      if (written === undefined) return
      fixed++
      expect(isAccepted(order, accepting, written)).toBe(true)
      expect(acceptedFor(order, accepting, written)).toBe(written)
      const fromNothing = acceptedFor(order, accepting, undefined)
      if (fromNothing !== undefined) expect(isAccepted(order, accepting, fromNothing)).toBe(true)
    }),
    { numRuns: cases({ usual: 500, soak: 20_000 }) },
  )
  expect(fixed).toBeGreaterThan(200)
}

describe('a fix keeps accepted values, writes only accepted values and is idempotent', () => {
  test.each([
    ['modes', MODES, 'mode'],
    ['numbers', NUMBERS, 'number'],
    ['sizes', NUMBERS, 'size'],
    ['durations', NUMBERS, 'duration'],
  ] as const)('%s', (_title, order, name) => {
    checkLaws(order, bits, acceptances(bits, bits, ORDER_CONDITIONS[name]))
  })
  test.each([
    ['of dpkg', DEBIAN_VERSIONS],
    ['of rpm', RPM_VERSIONS],
  ])('versions %s', (_title, order) => {
    const versions = fc.constantFrom('1.2', '1.2-3', '1.2-4', '0:1.2', '1:1.0', '1.10', '1.9', '1.2~rc1', '1.2+b1')
    const matching = { isMatch: matchesWhole, ...order }
    checkLaws(matching, versions, acceptances(versions, versions, ORDER_CONDITIONS.version))
  })
  test.each([
    ['texts', 'text'],
    ['accounts', 'account'],
  ] as const)('%s', (_title, name) => {
    const texts = fc.constantFrom('', 'a', 'aa', 'ab', 'b', 'c')
    checkLaws(TEXTS, texts, acceptances(texts, texts, ORDER_CONDITIONS[name]))
  })
  test('contents by their lines', () => {
    const line = fc.constantFrom('', 'a', 'b', ' a', 'a\r', '\uFEFFa')
    const text = fc
      .array(fc.tuple(line, fc.constantFrom('\n', '\n', '\r\n', '')).map(([each, end]) => each + end))
      .map((each) => each.join(''))
    const order = { isMatch: matchesWhole, ...LINES }
    checkLaws(order, text, acceptances(text, line, ['includes', 'excludes', 'not_matches']))
  })
  test.each([
    ['lists', LISTS],
    ['sets', SETS],
  ])('%s', (_title, order) => {
    const lists = fc.array(letters, { maxLength: 3 })
    checkLaws<readonly ListItem[], ListItem>(order, lists, acceptances(lists, letters, ORDER_CONDITIONS.list))
  })
})

// What each word accepts and where it leads, from the table of the words.
test.each<[Acceptance<number>, number, boolean, number | undefined]>([
  [{ at_most: 0o640 }, 0o000, true, 0o000],
  [{ at_most: 0o640 }, 0o644, false, 0o640],
  [{ at_most: 0o640 }, 0o666, false, 0o640],
  [{ at_most: 0o640 }, 0o044, false, 0o040],
  [{ at_least: 0o600 }, 0o640, true, 0o640],
  [{ at_least: 0o600 }, 0o040, false, 0o640],
  [{ at_least: 0o400, at_most: 0o640 }, 0o066, false, 0o440],
  [{ at_most: 0o640, fix: 0o600 }, 0o644, false, 0o600],
  [{ is: 0o600 }, 0o640, false, 0o600],
  [{ one_of: [0o600, 0o640] }, 0o640, true, 0o640],
  [{ one_of: [0o600, 0o640] }, 0o644, false, 0o600],
  [{ one_of: [0o600, 0o640], not: 0o600 }, 0o644, false, 0o640],
  [{ not: 0o777 }, 0o777, false, undefined],
  [{ none_of: [0o777, 0o666] }, 0o666, false, undefined],
  [{ none_of: [0o777, 0o666], fix: 0o644 }, 0o666, false, 0o644],
  [{ at_most: 0o640, not: 0o600 }, 0o600, false, undefined],
])('%j and %i', (acceptance, observed, accepted, written) => {
  expect(isAccepted(MODES, acceptance, observed)).toBe(accepted)
  expect(acceptedFor(MODES, acceptance, observed)).toBe(written)
})

test.each<[Acceptance<string>, string, string | undefined]>([
  [{ includes: ['a'] }, '', 'a\n'],
  [{ includes: ['a'] }, 'b', 'b\na'],
  [{ includes: ['a'] }, 'b\r\n', 'b\r\na\r\n'],
  [{ includes: ['a', 'c'] }, 'b\r\nd', 'b\r\nd\r\na\r\nc'],
  [{ includes: ['a'] }, 'b\r\nd\n', 'b\r\nd\na\n'],
  [{ includes: ['a'] }, '\uFEFFa\n', '\uFEFFa\n'],
  [{ includes: ['a'] }, '\uFEFF', '\uFEFFa\n'],
  [{ includes: [''] }, 'a', 'a\n\n'],
  [{ includes: ['b', 'a', 'b'] }, 'c\na\n', 'c\na\nb\n'],
  [{ includes: ['a'] }, 'a', 'a'],
  [{ includes: ['a'] }, 'x\r\na\r\n', 'x\r\na\r\n'],
  [{ includes: ['a'] }, 'aa\n', 'aa\na\n'],
  [{ includes: [''] }, 'a\n', 'a\n\n'],
  [{ excludes: ['a'] }, 'a\nb\na\nc', 'b\nc'],
  [{ excludes: ['a'] }, 'b\r\na\r\n', 'b\r\n'],
  [{ excludes: ['a'] }, 'a', ''],
  [{ excludes: ['a'] }, 'b\r\na', 'b'],
  [{ excludes: ['a'] }, '\uFEFFa\r\nb\r\n', '\uFEFFb\r\n'],
  [{ excludes: ['a'] }, 'b\n\na', 'b\n\n'],
  [{ excludes: ['a'] }, ' a\naa\n', ' a\naa\n'],
  [{ excludes: ['a'], includes: ['b'] }, 'a\n', 'b\n'],
  [{ excludes: ['a'], includes: ['b'], not_matches: '(?s).*c.*' }, 'a\nc\n', undefined],
])('%j of the lines %j writes %j', (acceptance, observed, written) => {
  const order = { isMatch: matchesWhole, ...LINES }
  expect(acceptedFor(order, acceptance, observed)).toBe(written)
  expect(isAccepted(order, acceptance, observed)).toBe(written === observed)
})

test('without an observed value, a fix writes the value, the first of the list or the bound', () => {
  expect(acceptedFor(MODES, { is: 1 }, undefined)).toBe(1)
  expect(acceptedFor(MODES, { one_of: [2, 3] }, undefined)).toBe(2)
  expect(acceptedFor(MODES, { at_most: 0o640 }, undefined)).toBe(0o640)
  expect(acceptedFor(MODES, { at_least: 0o600 }, undefined)).toBe(0o600)
  expect(acceptedFor(MODES, { not: 1 }, undefined)).toBeUndefined()
})

test('a contradictory acceptance is reported', () => {
  const contradiction = expect.stringContaining('mutually exclusive')
  expect(acceptanceProblem(MODES, { at_most: 0o640, fix: 0o644 })).toContain('under "fix"')
  expect(acceptanceProblem(MODES, { at_least: 0o700, at_most: 0o640 })).toEqual(contradiction)
  expect(acceptanceProblem(MODES, { is: 1, not: 1 })).toEqual(contradiction)
  expect(acceptanceProblem(MODES, { one_of: [1, 2], none_of: [2, 1] })).toEqual(contradiction)
  expect(acceptanceProblem(MODES, { one_of: [1, 2], none_of: [2] })).toBeUndefined()
  expect(acceptanceProblem(SETS, { includes: ['a'], excludes: ['a'] })).toEqual(contradiction)
  expect(acceptanceProblem(MODES, { at_least: 0o400, at_most: 0o640, fix: 0o600 })).toBeUndefined()
})

test('lists and sets differ in equality and agree on membership', () => {
  expect(isAccepted<readonly ListItem[], ListItem>(LISTS, { is: ['a', 'b'] }, ['b', 'a'])).toBe(false)
  expect(isAccepted<readonly ListItem[], ListItem>(SETS, { is: ['a', 'b'] }, ['b', 'a', 'b'])).toBe(true)
  for (const order of [LISTS, SETS]) {
    expect(acceptedFor(order, { includes: ['c', 'c', 'a'], excludes: ['b'] }, ['b', 'a'])).toEqual(['a', 'c'])
  }
})

test('a set is at most these where it has no other, and at least these where it has all', () => {
  const items: readonly ListItem[] = ['b', 'c']
  expect(isAccepted<readonly ListItem[], ListItem>(SETS, { at_most: ['c', 'b', 'a'] }, items)).toBe(true)
  expect(isAccepted<readonly ListItem[], ListItem>(SETS, { at_most: [] }, [])).toBe(true)
  expect(acceptedFor<readonly ListItem[], ListItem>(SETS, { at_most: ['a', 'b'] }, items)).toEqual(['b'])
  expect(isAccepted<readonly ListItem[], ListItem>(SETS, { at_least: ['c'] }, items)).toBe(true)
  expect(acceptedFor<readonly ListItem[], ListItem>(SETS, { at_least: ['a'] }, items)).toEqual(['b', 'c', 'a'])
})

test('versions compare as their package manager has them', () => {
  // dpkg --compare-versions 1.2-3 le 1.2: false. rpm matches what a bound leaves out with anything.
  expect(isAccepted(DEBIAN_VERSIONS, { at_most: '1.2' }, '1.2-3')).toBe(false)
  expect(isAccepted(RPM_VERSIONS, { at_most: '1.2' }, '2:1.2-3')).toBe(true)
  for (const order of [DEBIAN_VERSIONS, RPM_VERSIONS]) {
    expect(isAccepted(order, { at_least: '1.9' }, '1.10-1')).toBe(true)
    expect(isAccepted(order, { at_least: '1.2' }, '1.2~rc1')).toBe(false)
  }
})

test('a condition without a meaning for the values is a mistake of the type', () => {
  expect(() => isAccepted<string, string>({ equals: TEXTS.equals }, { at_most: 'a' }, 'a')).toThrow('do not support')
})

test.each<[Acceptance, string]>([
  [{ is: 'root' }, 'root'],
  [{ not: 'root' }, 'anything but root'],
  [{ one_of: ['root', 'adm', 'shadow'] }, 'one of root, adm or shadow'],
  [{ one_of: ['root'] }, 'root'],
  [{ none_of: ['a', 'b'] }, 'anything but a or b'],
  [{ at_most: '0640', fix: '0600' }, 'at most 0640'],
  [{ at_most: 365, at_least: 1 }, 'at least 1 and at most 365'],
  [{ matches: '^a' }, 'a match of ^a'],
  [{ not_matches: 'b' }, 'no match of b'],
  [{ includes: ['a', 'b'], excludes: ['c'] }, 'with a and b and without c'],
  [{ is: ['a', 'b'] }, '[a, b]'],
])('%j is %s', (acceptance, words) => {
  expect(formatAcceptance(acceptance, String)).toBe(words)
})

test('an acceptance is distinguished from the digest of a content or a secret', () => {
  expect(isAcceptance({ at_most: 1 })).toBe(true)
  for (const value of [
    'a',
    null,
    ['is'],
    {},
    { fix: 1 },
    { sha256: '', sizeBytes: 1 },
    { redacted: true, digest: '' },
  ]) {
    expect(isAcceptance(value)).toBe(false)
  }
})

test('a mapped acceptance keeps its words', () => {
  const all: Acceptance<number> = {
    is: 1,
    not: 2,
    one_of: [3],
    none_of: [4, 5],
    at_least: 6,
    at_most: 7,
    matches: 'x',
    not_matches: 'y',
    includes: [8],
    excludes: [9],
    fix: 10,
  }
  expect(Object.keys(all)).toEqual([...ACCEPTANCE_WORDS])
  expect(mapAcceptance(mapAcceptance(all, String), Number)).toEqual(all)
  expect(ACCEPTANCE_WORDS).toEqual([...CONDITIONS, 'fix'])
})
