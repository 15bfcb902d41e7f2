import { expect, test } from 'vitest'
import { defined } from '../../src/model/defined.ts'

test('an undefined member has no key; other members stay, in their order', () => {
  const members = defined({ a: undefined, c: null, b: '', d: 0, e: false })
  expect(Object.keys(members)).toEqual(['c', 'b', 'd', 'e'])
  expect(members).toStrictEqual({ c: null, b: '', d: 0, e: false })
})
