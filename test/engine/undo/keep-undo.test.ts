import { expect, it } from 'vitest'
import { KEEP_UNDO, parseKeepUndo } from '../../../src/engine/undo/keep-undo.ts'

// The guide: 20 fixes, 30 days and 2 GiB unless something else is said; 0 keeps nothing.
const USUAL = { count: 20, milliseconds: 30 * 24 * 60 * 60 * 1000, bytes: 2 * 2 ** 30 }

it.each([
  ['5', { ...USUAL, count: 5 }],
  ['2d', { ...USUAL, milliseconds: 2 * 24 * 60 * 60 * 1000 }],
  ['1GiB', { ...USUAL, bytes: 2 ** 30 }],
  ['5, 1GiB', { ...USUAL, count: 5, bytes: 2 ** 30 }],
  [' 0 ', false],
  ['0d', undefined],
  ['0B', undefined],
  ['5,0', undefined],
  ['5,', undefined],
  ['many', undefined],
])('reads %j as what is kept of fixes', (text, keep) => {
  expect(KEEP_UNDO).toEqual(USUAL)
  expect(parseKeepUndo(text)).toEqual(keep)
})
