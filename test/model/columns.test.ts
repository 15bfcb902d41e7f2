import { spawnSync } from 'node:child_process'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { columnsOf, padColumns, widestOf, wrapLine } from '../../src/model/columns.ts'

test.each([
  ['plain', 5],
  ['naïve…', 6],
  ['日本語', 6],
  ['한국어', 6],
  // macOS names files so: each syllable in two or three characters.
  ['한국어'.normalize('NFD'), 6],
  ['ｆｕｌｌ', 8],
  ['ﾊﾝｶｸ', 4],
  ['e\u0301', 1],
  ['\u001b[31mred\u001b[39m', 3],
  ['a\u200bb', 2],
  ['👍', 2],
  ['👍🏽', 2],
  ['🇩🇪', 2],
  ['👩‍💻', 2],
  ['👨‍👩‍👧', 2],
  ['❤', 1],
  ['❤\ufe0f', 2],
  ['👩‍❤\ufe0f‍👨', 2],
  ['1\ufe0f\u20e3', 2],
  ['', 0],
])('%s takes %i columns', (text, columns) => {
  expect(columnsOf(text)).toBe(columns)
})

const PYTHON = `
import sys, unicodedata
for code in range(0x20, 0x110000):
    character = chr(code)
    category = unicodedata.category(character)
    if category in ('Cn', 'Cs', 'Co', 'Cc', 'Cf', 'Zl', 'Zp'): continue
    if 0x1160 <= code <= 0x11ff or 0xd7b0 <= code <= 0xd7ff: continue
    width = 0 if category in ('Mn', 'Me') else 2 if unicodedata.east_asian_width(character) in 'WF' else 1
    sys.stdout.write('%d %d\\n' % (code, width))
`

/** Unicode 16 made trigrams, hexagrams and counting rods wide, and a sign of Ahom a spacing one; Python may know an earlier one. */
const CHANGED_SINCE = [
  [0x2630, 0x2637],
  [0x268a, 0x268f],
  [0x4dc0, 0x4dff],
  [0x1d300, 0x1d376],
  [0x1171e, 0x1171e],
] as const

const python = spawnSync('python3', ['-c', PYTHON], { encoding: 'utf8', maxBuffer: 2 ** 26 })

test.skipIf(python.status === 0 ? undefined : 'needs python3')('Python knows the same width of every character', () => {
  const rows = python.stdout
    .trim()
    .split('\n')
    .map((line) => line.split(' ').map(Number))
  expect(rows.length).toBeGreaterThan(100_000)
  const different = rows.filter(([code = 0, width]) => columnsOf(String.fromCodePoint(code)) !== width)
  const unexplained = different.filter(([code = 0]) => !CHANGED_SINCE.some(([from, to]) => code >= from && code <= to))
  expect(unexplained.map(([code = 0, width]) => `U+${code.toString(16)} is ${width} wide`)).toEqual([])
})

/** Text whose width is plain arithmetic: Latin one column a character, Chinese two. */
const measured = fc
  .array(fc.constantFrom(['a', 1], ['ß', 1], ['中', 2], ['国', 2], ['e\u0301', 1], ['🚀', 2]), {
    minLength: 1,
    maxLength: 12,
  })
  .map((parts) => ({
    text: parts.map(([text]) => text).join(''),
    columns: parts.reduce((sum, [, columns]) => sum + Number(columns), 0),
  }))

test('texts that are padded end in the same column', () => {
  fc.assert(
    fc.property(fc.array(measured, { minLength: 1 }), (texts) => {
      const widest = Math.max(...texts.map(({ columns }) => columns))
      expect(widestOf(texts.map(({ text }) => text))).toBe(widest)
      for (const { text, columns } of texts) {
        expect(padColumns(text, widest)).toBe(text + ' '.repeat(widest - columns))
      }
    }),
  )
})

test('no line is wider than the terminal in any script, and no line is broken early', () => {
  const shape = fc.record({
    words: fc.array(measured, { minLength: 1, maxLength: 20 }),
    width: fc.integer({ min: 10, max: 60 }),
    hanging: fc.nat(8),
  })
  fc.assert(
    fc.property(shape, ({ words, width, hanging }) => {
      const lines = wrapLine(words.map(({ text }) => text).join(' '), width, hanging)
      const left = [...words]
      for (const [index, line] of lines.entries()) {
        const count = line.trim().split(' ').length
        const own = left.splice(0, count)
        expect(line.trim()).toBe(own.map(({ text }) => text).join(' '))
        const columns = (index === 0 ? 0 : hanging) + own.reduce((sum, word) => sum + word.columns, count - 1)
        if (count > 1) expect(columns).toBeLessThanOrEqual(width)
        if (left[0] !== undefined) expect(columns + 1 + left[0].columns).toBeGreaterThan(width)
      }
      expect(left).toEqual([])
    }),
  )
})

test('a picture is one grapheme to the runtime and two columns here', () => {
  const pictures = fc.constantFrom('👍', '👍🏽', '🇩🇪', '👩‍💻', '👨‍👩‍👧', '❤\ufe0f', '1\ufe0f\u20e3', '🏳\ufe0f‍🌈')
  const segmenter = new Intl.Segmenter('en')
  fc.assert(
    fc.property(fc.array(pictures), (all) => {
      expect(columnsOf(all.join(''))).toBe(2 * [...segmenter.segment(all.join(''))].length)
    }),
  )
})

test('no word is lost, broken or moved, and no line is longer than it must be', () => {
  const words = fc.array(fc.stringMatching(/^[a-z]{1,12}$/), { minLength: 1, maxLength: 30 })
  const shape = fc.record({ words, lead: fc.nat(6), width: fc.integer({ min: 10, max: 60 }), hanging: fc.nat(8) })
  fc.assert(
    fc.property(shape, (given) => {
      const line = ' '.repeat(given.lead) + given.words.join(' ')
      const lines = wrapLine(line, given.width, given.hanging)
      expect(lines.flatMap((each) => each.trim().split(' '))).toEqual(given.words)
      for (const [index, each] of lines.entries()) {
        const [first = ''] = each.trim().split(' ')
        const room = Math.max(0, given.width - first.length)
        expect(each.search(/\S/)).toBe(Math.min(index === 0 ? given.lead : given.hanging, room))
        if (given.words.length > 1 && first.length <= given.width) expect(each.length).toBeLessThanOrEqual(given.width)
      }
    }),
  )
})

test('a list with commas that is too long is taken apart after them', () => {
  expect(wrapLine('  ciphers aes256-ctr,aes192-ctr,aes128-ctr', 24, 4)).toEqual([
    '  ciphers aes256-ctr,',
    '    aes192-ctr,',
    '    aes128-ctr',
  ])
  expect(wrapLine('a,b c,d e', 6, 0)).toEqual(['a,b', 'c,d e'])
})

test('colours take no room, and without a width nothing is broken', () => {
  const red = '\u001B[31mred\u001B[39m'
  expect(wrapLine(`${red} ${red} ${red}`, 7, 2)).toEqual([`${red} ${red}`, `  ${red}`])
  expect(wrapLine('a  b  c', undefined, 2)).toEqual(['a  b  c'])
})
