import { isIP } from 'node:net'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ipVersion } from '../../../src/policy/data/validation.ts'
import { cases } from '../../support/soak.ts'

test.each<[string, 4 | 6 | undefined]>([
  ['10.0.0.1', 4],
  ['010.0.0.1', undefined],
  ['1.2.3', undefined],
  ['1.2.3.256', undefined],
  ['::', 6],
  ['::1', 6],
  ['1::', 6],
  ['::ffff:10.0.0.1', 6],
  ['1:2:3:4:5:6:7:8', 6],
  ['1:2:3:4:5:6:7', undefined],
  ['1:2:3:4:5:6:7::', 6],
  ['1:2:3:4:5:6:7:8::', undefined],
  ['::1::', undefined],
  [':1', undefined],
  ['fe80::1%eth0', undefined],
  ['', undefined],
])('"%s" is an address of version %s', (text, version) => {
  expect(ipVersion(text)).toBe(version)
})

test('it agrees with the system on every address and on texts like addresses', () => {
  const near = fc.array(fc.constantFrom('0', '1', 'a', 'ff', '255', ':', '::', '.', '1.2.3.4'), { maxLength: 12 })
  fc.assert(
    fc.property(
      fc.oneof(
        fc.ipV4(),
        fc.ipV6(),
        near.map((parts) => parts.join('')),
      ),
      (text) => {
        expect(ipVersion(text) ?? 0).toBe(isIP(text))
      },
    ),
    { numRuns: cases({ usual: 500, soak: 50_000 }) },
  )
})
