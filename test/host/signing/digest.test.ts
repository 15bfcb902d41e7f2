import { expect, test } from 'vitest'
import { isSha256, sha256 } from '../../../src/host/signing/digest.ts'

// The digest of "abc" in FIPS 180-2, appendix B.1.
const ABC = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'

test('the digest of a published text', () => {
  expect(sha256(Buffer.from('abc'))).toBe(ABC)
})

test.each([
  [ABC, true],
  [ABC.slice(1), false],
  [`${ABC}0`, false],
  [`0${ABC}`, false],
  [`${ABC}\n`, false],
  [ABC.toUpperCase(), false],
  [`g${ABC.slice(1)}`, false],
  [64, false],
  [undefined, false],
])('%j is a digest: %j', (text, expected) => {
  expect(isSha256(text)).toBe(expected)
})
