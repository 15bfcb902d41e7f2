import { expect, test } from 'vitest'
import { didYouMean, findNearest } from '../../src/model/suggest.ts'

const keys = ['ensure', 'content', 'source', 'owner', 'group', 'mode', 'force']

test.each([
  ['ensur', 'ensure'],
  ['onwer', 'owner'],
  ['contnet', 'content'],
  ['grp', undefined],
  ['MODE', 'mode'],
  ['mod', 'mode'],
  ['permissions', undefined],
  ['', undefined],
  // Of nine letters three may be wrong, of eight two.
  ['contantzz', 'content'],
  ['cantantz', undefined],
  // Swapped neighbours are one mistake, at the start of the word, too; two pairs are two.
  ['ofrce', 'force'],
  ['ofrec', undefined],
])('the key nearest to "%s" is %s', (word, expected) => {
  expect(findNearest(word, keys)).toBe(expected)
})

test('the clause is empty where nothing is near', () => {
  expect(didYouMean('ownr', keys)).toBe(', did you mean "owner"?')
  expect(didYouMean('zzzzzz', keys)).toBe('')
})

test('very long words cost no noticeable work', () => {
  expect(findNearest('x'.repeat(1_000_000), keys)).toBeUndefined()
})
