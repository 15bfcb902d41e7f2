import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { splitWords } from '../../src/model/shell-split.ts'

// From the tables of go-shellquote's own tests.
test.each<[string, readonly string[]]>([
  ['', []],
  [' \t\n', []],
  ['hello', ['hello']],
  ['hello goodbye', ['hello', 'goodbye']],
  ["hello   goodbye there's", ['Unterminated single-quoted string']],
  ['glob* test?', ['glob*', 'test?']],
  ["don't you know the dewey decimal system\\?", ['Unterminated single-quoted string']],
  ["'don'\\''t you know the dewey decimal system?'", ["don't you know the dewey decimal system?"]],
  ["''", ['']],
  ["'' ''", ['', '']],
  ['text with\\\na newline', ['text', 'witha', 'newline']],
  ['"quoted\\d\\\\\\" text with\\\na newline"', ['quoted\\d\\" text witha newline']],
  ['foo"bar"baz', ['foobarbaz']],
  ['\\\n', []],
  ['"\\$\\`\\a"', ['$`\\a']],
  ["foo'", ['Unterminated single-quoted string']],
  ['foo"', ['Unterminated double-quoted string']],
  ['"foo\\', ['Unterminated double-quoted string']],
  ['foo\\', ['Unterminated backslash-escape']],
  ['a;b|c $(x) > y', ['a;b|c', '$(x)', '>', 'y']],
])('%j', (line, wanted) => {
  const split = splitWords(line)
  expect(split.ok ? split.words : [split.problem]).toEqual(wanted)
})

test('words in single quotes come out as they are', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary' })), (words) => {
      const line = words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ')
      expect(splitWords(line)).toEqual({ ok: true, words })
    }),
  )
})

test('quotes and backslashes have the meaning of the shell', () => {
  const character = fc.constantFrom('a', 'b', ' ', '\t', "'", '"', '\\', '\n', '{}')
  const lines = fc
    .sample(fc.array(character, { maxLength: 12 }), { numRuns: 200, seed: 7 })
    .map((parts) => parts.join(''))
  const complete = lines.filter((line) => splitWords(line).ok && !/[^\\]\n|^\n/.test(line))
  // Each line becomes one call that prints its words, separated by a character that no line holds.
  const script = complete.map((line) => `set -- ${line}\nfor word; do printf '%s\\036' "$word"; done; printf '\\037'\n`)
  const printed = execFileSync('sh', ['-c', script.join('')], { encoding: 'utf8' })
    .split('\x1f')
    .slice(0, -1)
  expect(printed).toEqual(
    complete.map((line) => {
      const split = splitWords(line)
      return split.ok ? split.words.map((word) => `${word}\x1e`).join('') : ''
    }),
  )
  expect(complete.length).toBeGreaterThan(50)
})
