import { expect, test } from 'vitest'
import { problemOfCase } from './decision-cases.ts'

const DECISION = {
  wanted: ['ensure'],
  observed: ['kind'],
  decide: () => {
    throw new Error('nothing is decided here')
  },
}
const CASE = { name: 'a', wanted: { ensure: 'absent' }, observed: {}, expected: { drift: [] } }

test('a case is a case', () => {
  expect(problemOfCase(CASE, DECISION)).toBeUndefined()
  expect(problemOfCase({ ...CASE, occasion: { subscribed: true } }, DECISION)).toBeUndefined()
})

test.each<[string, unknown, string]>([
  ['no map', 'a', 'a case is a map with a name'],
  ['no name', { ...CASE, name: undefined }, 'a case is a map with a name'],
  ['a slip', { ...CASE, expectd: {} }, '"expectd" is none of name, wanted, observed, occasion, expected'],
  ['a part left out', { name: 'a', wanted: {}, observed: {} }, 'it has no map "expected"'],
  ['a property the type has not', { ...CASE, wanted: { ensur: 1 } }, '"wanted" holds "ensur", which is none of ensure'],
  ['nothing expected', { ...CASE, expected: {} }, '"expected" is empty, so nothing could fail'],
])('a bad case has a problem: %s', (_title, value, problem) => {
  expect(problemOfCase(value, DECISION)).toBe(problem)
})
