import fc from 'fast-check'
import { expect, test } from 'vitest'
import { reconnectMs } from '../../../src/fleet/agent/link.ts'

test.each([
  [1, 'away', 0, 1000],
  [1, 'away', 1, 4000],
  [4, 'away', 1, 32_000],
  [5, 'away', 1, 60_000],
  [5000, 'away', 1, 60_000],
  [5, 'denied', 1, 64_000],
  [5000, 'denied', 1, 600_000],
  [5000, 'certificate', 1, 600_000],
  [5000, 'denied', 0, 1000],
] as const)(
  'after %i failures, the server being %s, %d of what is possible is %i ms',
  (failures, trouble, random, expected) => {
    expect(reconnectMs(failures, trouble, random)).toBe(expected)
  },
)

test('the wait is between one second and sixty, and hosts that were lost together spread', () => {
  fc.assert(
    fc.property(fc.nat(10_000), fc.double({ min: 0, max: 1, noNaN: true }), (failures, random) => {
      const waited = reconnectMs(failures, 'away', random)
      expect(waited).toBeGreaterThanOrEqual(1000)
      expect(waited).toBeLessThanOrEqual(60_000)
    }),
  )
  expect(reconnectMs(6, 'away', 0.9) - reconnectMs(6, 'away', 0.1)).toBeGreaterThan(40_000)
})
