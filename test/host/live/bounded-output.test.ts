import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BoundedOutput } from '../../../src/host/live/bounded-output.ts'
import { cases } from '../../support/soak.ts'

function collect(chunks: readonly Buffer[]): string {
  const output = new BoundedOutput()
  for (const chunk of chunks) output.add(chunk)
  return output.text()
}

/** The same bytes in pieces of the given lengths, over and over. */
function pieces(bytes: Buffer, lengths: readonly number[]): Buffer[] {
  const chunks: Buffer[] = []
  for (let start = 0, turn = 0; start < bytes.length; turn++) {
    const end = start + (lengths[turn % lengths.length] ?? 1)
    chunks.push(bytes.subarray(start, end))
    start = end
  }
  return chunks
}

const LENGTHS = fc.array(fc.integer({ min: 1, max: 70_000 }), { minLength: 1, maxLength: 5 })

test('up to 64 KiB come out unchanged, independent of the split into pieces', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('', 'ä', '€uro', '😀\n'),
      fc.integer({ max: 64 * 1024 }),
      LENGTHS,
      (unit, size, lengths) => {
        const text = unit.repeat(Math.max(0, Math.floor(size / Math.max(1, Buffer.byteLength(unit)))))
        expect(collect(pieces(Buffer.from(text), lengths))).toBe(text)
      },
    ),
    { numRuns: cases({ usual: 20, soak: 500 }) },
  )
})

test('of more, both ends are kept without half characters and the rest is counted', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('a', 'ä', '€', '😀'),
      fc.integer({ min: 70_000, max: 400_000 }),
      LENGTHS,
      (unit, count, lengths) => {
        const text = unit.repeat(count)
        const bounded = collect(pieces(Buffer.from(text), lengths))
        const [, head = '', leftOut = '', tail = ''] = /^(.*)\n\[(\d+) bytes left out\]\n(.*)$/u.exec(bounded) ?? []
        expect([...new Set(head + tail)]).toEqual([unit])
        const width = Buffer.byteLength(unit)
        expect(Buffer.byteLength(head) + Number(leftOut) + Buffer.byteLength(tail)).toBe(count * width)
        expect(Buffer.byteLength(head + tail)).toBeGreaterThan(64 * 1024 - 2 * width)
      },
    ),
    { numRuns: cases({ usual: 20, soak: 500 }) },
  )
})

test('only whole lines are kept, so that no half of a secret is left', () => {
  const secret = 's3cret-t0ken'
  const lines = `${secret}\n`.repeat(50_000)
  const [, head = '', tail = ''] = /^([^]*)\[\d+ bytes left out\]\n([^]*)$/.exec(collect([Buffer.from(lines)])) ?? []
  expect([...new Set(head.split('\n'))]).toEqual([secret, ''])
  expect([...new Set(tail.split('\n'))]).toEqual([secret, ''])
})
