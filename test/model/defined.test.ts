import { expect, test } from 'vitest'
import { defined } from '../../src/model/defined.ts'

test('what is undefined has no key, and everything else stays, in its order', () => {
  const members = defined({ a: undefined, c: null, b: '', d: 0, e: false })
  expect(Object.keys(members)).toEqual(['c', 'b', 'd', 'e'])
  expect(members).toStrictEqual({ c: null, b: '', d: 0, e: false })
})
