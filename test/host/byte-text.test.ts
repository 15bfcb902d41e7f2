import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { byteLengthOf, textFromBytes } from '../../src/host/byte-text.ts'
import { needsPrograms } from '../support/programs.ts'

const HARD = [0x41, 0x80, 0xbf, 0xc1, 0xc3, 0xe0, 0xe2, 0xed, 0xa0, 0xef, 0xf0, 0x90, 0xf4, 0xf5, 0xff]

const someBytes = fc.oneof(
  fc.uint8Array({ maxLength: 12 }),
  fc.array(fc.constantFrom(...HARD), { maxLength: 9 }).map((bytes) => Uint8Array.from(bytes)),
)

test('text in UTF-8 is what it is, also beside what is not', () => {
  expect(textFromBytes(Buffer.from('déjà 漢 😀'))).toBe('déjà 漢 😀')
  expect(textFromBytes(Buffer.from([0x63, 0xe9, 0xf0, 0x9f, 0x98, 0x80]))).toBe('c\udce9😀')
})

test('different bytes are different texts', () => {
  fc.assert(
    fc.property(someBytes, someBytes, (left, right) => {
      const isSame = Buffer.compare(left, right) === 0
      expect(textFromBytes(Buffer.from(left)) === textFromBytes(Buffer.from(right))).toBe(isSame)
    }),
  )
})

test.skipIf(needsPrograms('python3'))('bytes that are no text stand as Python writes them (surrogateescape)', () => {
  const samples = fc.sample(someBytes, { numRuns: 500, seed: 4 })
  const script = `import sys,json
for line in sys.stdin: print(json.dumps(bytes.fromhex(line.strip()).decode('utf8','surrogateescape')))`
  const input = samples.map((bytes) => `${Buffer.from(bytes).toString('hex')}\n`).join('')
  const expected = execFileSync('python3', ['-c', script], { input, encoding: 'utf8' }).trimEnd().split('\n')
  expect(samples.map((bytes) => textFromBytes(Buffer.from(bytes)))).toEqual(expected.map((line) => JSON.parse(line)))
})

test('text has as many bytes as what it was made of', () => {
  fc.assert(
    fc.property(someBytes, (bytes) => {
      expect(byteLengthOf(textFromBytes(Buffer.from(bytes)))).toBe(bytes.length)
    }),
  )
})
