import { expect, test } from 'vitest'
import { createPaint, wantsColor } from '../../../src/cli/output/color.ts'

const terminal = { isTTY: true }
const pipe = {}

test.each([
  [terminal, {}, true],
  [terminal, { TERM: 'dumb' }, false],
  [terminal, { NO_COLOR: '1' }, false],
  // "when present and not an empty string", says no-color.org
  [terminal, { NO_COLOR: '' }, true],
  [terminal, { FORCE_COLOR: '0' }, false],
  [terminal, { FORCE_COLOR: 'false' }, false],
  [pipe, {}, false],
  [pipe, { FORCE_COLOR: '1' }, true],
  [pipe, { FORCE_COLOR: '' }, false],
  [pipe, { FORCE_COLOR: '3', NO_COLOR: '1' }, true],
  [pipe, { CI: 'true' }, false],
])('channel %j with %j: %s', (channel, env, expected) => {
  expect(wantsColor(channel, env)).toBe(expected)
})

test('without colour every text stays as it is', async () => {
  const paint = await createPaint(false)
  expect(paint('bad', 'drifted')).toBe('drifted')
})

test('colours are of the sixteen basic ones, and end after the text', async () => {
  const paint = await createPaint(true)
  // SGR 31 is red, 39 the default colour. @see ECMA-48, 8.3.117
  expect(paint('bad', 'drifted')).toBe('\u001b[31mdrifted\u001b[39m')
})
