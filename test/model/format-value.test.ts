import { expect, test } from 'vitest'
import { formatDrift, formatDrifts, formatValue } from '../../src/model/format-value.ts'

test.each([
  ['0644', '0644'],
  [42, '42'],
  [true, 'true'],
  [null, 'nothing'],
  ['', '""'],
  [' x', '" x"'],
  [
    { sha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855', sizeBytes: 0 },
    'sha256 e3b0c44298fc, 0 bytes',
  ],
  [
    { sha256: 'ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb', sizeBytes: 1 },
    'sha256 ca978112ca1b, 1 byte',
  ],
  [{ redacted: true, digest: 'abc' } as const, '(secret, digest abc)'],
])('%j is shown as %s', (value, shown) => {
  expect(formatValue(value)).toBe(shown)
})

test('a drift names the desired and the observed value', () => {
  expect(formatDrift({ property: 'mode', desired: '0600', observed: '0644' })).toBe('mode: want 0600, found 0644')
  expect(formatDrift({ property: 'content', path: 'etc/app.conf', desired: 'a', observed: null })).toBe(
    'content etc/app.conf: want a, found nothing',
  )
})

test('of very much drift people read the first hundred and how many there are beside them', () => {
  const drifts = Array.from({ length: 102 }, (_, path) => ({
    property: 'mode',
    path: `f${path}`,
    desired: 1,
    observed: 2,
  }))
  expect(formatDrifts(drifts.slice(0, 100))).toMatch(/; mode f99: want 1, found 2$/)
  expect(formatDrifts(drifts.slice(0, 101))).toMatch(/; and 1 other difference, all of which are in the JSON report$/)
  expect(formatDrifts(drifts).split('; ')).toHaveLength(101)
})
