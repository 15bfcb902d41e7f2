import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type Acceptance,
  ACCEPTANCE_WORDS,
  acceptanceProblem,
  acceptedFor,
  CONDITIONS,
  formatAcceptance,
  isAcceptance,
  isAccepted,
  mapAcceptance,
  type ValueOrder,
} from '../../src/core/acceptance.ts'
import { cases } from '../support/soak.ts'

const same = <Value>(left: Value, right: Value): boolean => left === right
const BITS: ValueOrder<number> = { equals: same, raise: (a, b) => a | b, lower: (a, b) => a & b }
const NUMBERS: ValueOrder<number> = { equals: same, raise: Math.max, lower: Math.min }
const TEXTS: ValueOrder<string> = {
  equals: same,
  isMatch: (value, pattern) => new RegExp(`^(?:${pattern})$`).test(value),
}
const SETS: ValueOrder<readonly string[], string> = {
  equals: (left, right) => left.join() === right.join(),
  include: (list, items) => [...list, ...items.filter((item) => !list.includes(item))],
  exclude: (list, items) => list.filter((item) => !items.includes(item)),
}

/** Acceptances of one to three of these words, with a fix or without; every operand is drawn from a few values, so that they often meet. */
function acceptances<Value, Item>(
  value: fc.Arbitrary<Value>,
  item: fc.Arbitrary<Item>,
  words: readonly string[],
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

const EQUALITY = ['is', 'not', 'one_of', 'none_of']
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

describe('a fix never moves what is accepted, writes only what is accepted, and twice is once', () => {
  test('bits', () => {
    checkLaws(BITS, bits, acceptances(bits, bits, [...EQUALITY, 'at_least', 'at_most']))
  })
  test('numbers', () => {
    checkLaws(NUMBERS, bits, acceptances(bits, bits, [...EQUALITY, 'at_least', 'at_most']))
  })
  test('texts', () => {
    const texts = fc.constantFrom('', 'a', 'aa', 'ab', 'b', 'c')
    checkLaws(TEXTS, texts, acceptances(texts, texts, [...EQUALITY, 'matches', 'not_matches']))
  })
  test('lists', () => {
    const lists = fc.uniqueArray(letters, { maxLength: 3 })
    checkLaws(SETS, lists, acceptances(lists, letters, [...EQUALITY, 'includes', 'excludes']))
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
  expect(isAccepted(BITS, acceptance, observed)).toBe(accepted)
  expect(acceptedFor(BITS, acceptance, observed)).toBe(written)
})

test('where nothing is there, a fix writes what it has: the value, the first of the list or the bound', () => {
  expect(acceptedFor(BITS, { is: 1 }, undefined)).toBe(1)
  expect(acceptedFor(BITS, { one_of: [2, 3] }, undefined)).toBe(2)
  expect(acceptedFor(BITS, { at_most: 0o640 }, undefined)).toBe(0o640)
  expect(acceptedFor(BITS, { at_least: 0o600 }, undefined)).toBe(0o600)
  expect(acceptedFor(BITS, { not: 1 }, undefined)).toBeUndefined()
})

test('what can never hold is told', () => {
  const contradiction = expect.stringContaining('contradict')
  expect(acceptanceProblem(BITS, { at_most: 0o640, fix: 0o644 })).toContain('under "fix"')
  expect(acceptanceProblem(BITS, { at_least: 0o700, at_most: 0o640 })).toEqual(contradiction)
  expect(acceptanceProblem(BITS, { is: 1, not: 1 })).toEqual(contradiction)
  expect(acceptanceProblem(BITS, { one_of: [1, 2], none_of: [2, 1] })).toEqual(contradiction)
  expect(acceptanceProblem(BITS, { one_of: [1, 2], none_of: [2] })).toBeUndefined()
  expect(acceptanceProblem(BITS, { at_least: 0o400, at_most: 0o640, fix: 0o600 })).toBeUndefined()
})

test('a condition without a meaning for the values is a mistake of the type', () => {
  expect(() => isAccepted<string, string>({ equals: same }, { at_most: 'a' }, 'a')).toThrow('do not support')
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

test('an acceptance is told from what stands for a content or a secret', () => {
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
