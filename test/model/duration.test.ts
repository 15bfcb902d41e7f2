import { expect, test } from 'vitest'
import { parseDuration } from '../../src/model/duration.ts'

test.each([
  ['0', 0],
  ['0s', 0],
  ['90s', 90_000],
  ['1h30m', 5_400_000],
  ['1.5s', 1_500],
  ['.5s', 500],
  ['1.s', 1_000],
  ['250ms', 250],
  ['1000000ns', 1],
  ['1000us', 1],
  ['1000µs', 1],
  ['1000μs', 1],
  ['1d', 86_400_000],
  ['2D', 172_800_000],
  ['1w', 604_800_000],
  ['1M', 2_592_000_000],
  ['1y', 31_536_000_000],
])('%s is %d ms', (text, milliseconds) => {
  expect(parseDuration(text)).toBe(milliseconds)
})

test.each(['', ' ', '30', 's', '-5s', '1h garbage 5s', '1h ', '1x', '1.2.3s', '1e3s', `${'9'.repeat(400)}s`])(
  '"%s" is no duration',
  (text) => {
    expect(parseDuration(text)).toBeUndefined()
  },
)
