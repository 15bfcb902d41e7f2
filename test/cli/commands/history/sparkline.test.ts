import { expect, test } from 'vitest'
import { barsFor, sparkline } from '../../../../src/cli/commands/history/show-listing.ts'

const blocks = barsFor({ LANG: 'C.UTF-8' })
const ascii = barsFor({})

test.each([
  [[0, 1, 2, 3, 4, 5, 6, 7], '▁▂▃▄▅▆▇█', '_.:-=+*#'],
  [[0, 0], '▁▁', '__'],
  [[3], '█', '#'],
  [[0, 1, 1000], '▁▂█', '_.#'],
  [[2, undefined, 0], '█×▁', '#x_'],
  [[undefined], '×', 'x'],
  [[], '', ''],
])('%j is %s or %s', (values, inBlocks, inAscii) => {
  expect(sparkline(values, blocks)).toBe(inBlocks)
  expect(sparkline(values, ascii)).toBe(inAscii)
})

// LC_ALL wins over LC_CTYPE, and that over LANG; an empty variable counts as unset. @see locale(7)
test.each([
  [{ LANG: 'en_US.UTF-8' }, blocks],
  [{ LANG: 'de_DE.utf8' }, blocks],
  [{ LANG: 'C', LC_CTYPE: 'C.UTF-8' }, blocks],
  [{ LANG: 'C.UTF-8', LC_ALL: 'C' }, ascii],
  [{ LANG: 'C.UTF-8', LC_ALL: '' }, blocks],
  [{ LANG: 'C.UTF-8', TERM: 'dumb' }, ascii],
  [{ LANG: 'POSIX' }, ascii],
])('a terminal with %j', (env, expected) => {
  expect(barsFor(env)).toBe(expected)
})
