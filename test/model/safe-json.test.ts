import fc from 'fast-check'
import { expect, test } from 'vitest'
import { toSafeJson, toSafeJsonPieces } from '../../src/model/safe-json.ts'

test.each([
  ['a control character', '\u007f', String.raw`"\u007f"`],
  ['a C1 control character', 'a\u009bb', String.raw`"a\u009bb"`],
  ['a character without width', '\u200b', String.raw`"\u200b"`],
  ['a bidirectional override', '\u202e', String.raw`"\u202e"`],
  ['a line separator', '\u2028\u2029', String.raw`"\u2028\u2029"`],
  ['a tag outside of the basic plane', '\u{e0001}', String.raw`"\udb40\udc01"`],
  ['a command of Azure Pipelines', '##vso[task]', String.raw`"#\u0023vso[task]"`],
  ['a command of an older log', '##[error]', String.raw`"#\u0023[error]"`],
  ['ordinary text', '# ä €', '"# ä €"'],
])('%s is escaped for consumers and read back unchanged', (_what, text, json) => {
  expect(toSafeJson(text)).toBe(json)
  expect(JSON.parse(json)).toBe(text)
})

test('the pieces of a value are its text, and each is short', () => {
  const leaf = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.constantFrom(undefined, null, '##[error]', '\u2028', [], {}),
  )
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(leaf, fc.array(tie('value')), fc.dictionary(fc.string(), tie('value'))),
  }))
  fc.assert(
    fc.property(fc.record({ value }), (each) => {
      expect([...toSafeJsonPieces(each)].join('')).toBe(toSafeJson(each, 2))
    }),
  )
  const report = { policies: [{ resources: Array.from({ length: 5_000 }, (_, id) => ({ id, name: 'a'.repeat(90) })) }] }
  const pieces = [...toSafeJsonPieces(report)]
  expect(pieces.join('')).toBe(toSafeJson(report, 2))
  expect(Math.max(...pieces.map((piece) => piece.length))).toBeLessThan(100_000)
})
