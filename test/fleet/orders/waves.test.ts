import { expect, test } from 'vitest'
import { parseWaves, wavesOf } from '../../../src/fleet/orders/waves.ts'

const hosts = Array.from({ length: 25 }, (_, index) => `web${index}`)
const sizes = (text: string): readonly number[] => wavesOf(hosts, parseWaves(text) ?? []).map(({ length }) => length)

test.each([
  ['rest', [25]],
  ['1,10%,rest', [1, 3, 21]],
  ['1,10%', [1, 3, 21]],
  ['1, 1%, rest', [1, 1, 23]],
  ['20,50%,rest', [20, 5]],
  ['100,rest', [25]],
])('%s are waves of %j of 25 hosts, each host in one', (text, expected) => {
  expect(sizes(text)).toEqual(expected)
  expect(wavesOf(hosts, parseWaves(text) ?? []).flat()).toEqual(hosts)
})

test.each(['', '0', '0%', '100%', '1,,2', 'rest,1', 'rest,rest', '-1', '1.5', 'all', '1234567'])(
  '%j is rejected',
  (text) => {
    expect(parseWaves(text)).toBeUndefined()
  },
)
