import fc from 'fast-check'
import { expect, test } from 'vitest'
import { removeXmlHazards } from '../../src/model/escape-xml.ts'
import { hostileText } from '../support/hostile-text.ts'
import { cases } from '../support/soak.ts'

/** The characters XML 1.0 allows (production 2 of the recommendation), less DEL and the C1 controls. */
const ALLOWED = /^[\t\n\r\x20-\x7e\u{a0}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]*$/u

test.each([
  ['markup and whitespace stay', '<a b="c">&amp;\t\n\r]]>', '<a b="c">&amp;\t\n\r]]>'],
  ['colours', '\u001b[1;31mred\u001b[0m', 'red'],
  ['an 8-bit control sequence', '\u009b31mred', 'red'],
  ['a window title', '\u001b]0;title\u0007text', 'text'],
  ['a link', '\u001b]8;;http://x\u001b\\text\u001b]8;;\u001b\\', 'text'],
  ['a device string', '\u001bPq#0\u001b\\text', 'text'],
  ['a character set and a reset', '\u001b(Btext\u001bc', 'text'],
  ['an unfinished string loses its start only', '\u001b]0;title', '0;title'],
  ['controls', 'a\u0000b\u0008c\u007fd\u0085e', 'abcde'],
  ['lone surrogates keep their neighbours', 'a\udc00b\ud800c', 'abc'],
  ['pairs stay', '🙂', '🙂'],
  ['non-characters', 'a\ufffeb\uffffc', 'abc'],
])('%s', (_case, text, expected) => {
  expect(removeXmlHazards(text)).toBe(expected)
})

test('only characters of XML 1.0 remain', () => {
  fc.assert(
    fc.property(hostileText, (text) => {
      expect(removeXmlHazards(text)).toMatch(ALLOWED)
    }),
    { numRuns: cases({ usual: 500, soak: 20_000 }) },
  )
})

test('text without hazards is returned as it is', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme-ascii' }), (text) => {
      expect(removeXmlHazards(text)).toBe(text)
    }),
  )
})
