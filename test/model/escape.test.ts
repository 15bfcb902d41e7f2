import fc from 'fast-check'
import { expect, test } from 'vitest'
import { escapeForTerminal } from '../../src/model/escape.ts'
import { hostileText } from '../support/hostile-text.ts'
import { cases } from '../support/soak.ts'

test.each([
  ['printable text stays', 'mode: 0644 é 漢字 🙂', 'mode: 0644 é 漢字 🙂'],
  ['a backslash stays', String.raw`a\nb`, String.raw`a\nb`],
  ['line feed, carriage return, tab', 'a\nb\rc\td', String.raw`a\nb\rc\td`],
  ['an ANSI colour', '\u001b[31mred\u001b[0m', String.raw`\x1b[31mred\x1b[0m`],
  ['NUL, DEL and C1', '\u0000\u007f\u009b', String.raw`\x00\x7f\x9b`],
  ['a bidi override', 'user\u202ecod.exe', String.raw`user\u202ecod.exe`],
  ['a bidi isolate', '\u2066x\u2069', String.raw`\u2066x\u2069`],
  ['a zero-width space, which would make two names look equal', 'ro\u200bot', String.raw`ro\u200bot`],
  ['line and paragraph separators', '\u2028\u2029', String.raw`\u2028\u2029`],
  ['a format character beyond the first plane', '\u{e0041}', String.raw`\u{e0041}`],
  ['a lone surrogate', 'a\ud800b', String.raw`a\ud800b`],
  ['a GitHub workflow command', '::add-mask::x', String.raw`\x3a:add-mask::x`],
  ['an indented GitHub workflow command', '  ::error::x', String.raw`  \x3a:error::x`],
  ['colons inside a line are no command', 'a::b', 'a::b'],
  ['an Azure logging command', 'x ##VSO[task.complete]', String.raw`x #\x23VSO[task.complete]`],
  ['the short form of runner commands', '##[group]x', String.raw`#\x23[group]x`],
])('%s', (_case, text, expected) => {
  expect(escapeForTerminal(text)).toBe(expected)
})

test('nothing invisible and no CI command passes', () => {
  fc.assert(
    fc.property(hostileText, (text) => {
      const escaped = escapeForTerminal(text)
      expect(escaped).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u)
      expect(escaped).not.toMatch(/^\s*::/)
      expect(escaped).not.toMatch(/##(?:vso)?\[/i)
    }),
    { numRuns: cases({ usual: 500, soak: 20_000 }) },
  )
})

test('escaping twice changes nothing more', () => {
  fc.assert(
    fc.property(hostileText, (text) => {
      const escaped = escapeForTerminal(text)
      expect(escapeForTerminal(escaped)).toBe(escaped)
    }),
  )
})

test('texts that differ in one character look different', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 0x10ffff }), fc.string(), (code, around) => {
      const text = `${around}${String.fromCodePoint(code)}`
      expect(escapeForTerminal(text)).not.toBe(escapeForTerminal(around))
    }),
  )
})
