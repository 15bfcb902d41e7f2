import { expect, test } from 'vitest'
import { tokenize } from '../../../src/templates/jet/lexer.ts'

const CCM = { delimiters: ['[[', ']]'], commentDelimiters: ['{*', '*}'] } as const

function kinds(source: string): string {
  return tokenize(source, CCM)
    .map(({ kind }) => kind)
    .join(' ')
}

test.each([
  ['', 'eof'],
  ['text', 'text eof'],
  ['[[]]', 'leftDelim rightDelim eof'],
  ['[[ . ]]', 'leftDelim identifier rightDelim eof'],
  ['[[ .a.b ]]', 'leftDelim field field rightDelim eof'],
  ['[[ a\n\t:=\r\n1 ]]', 'leftDelim identifier assign number rightDelim eof'],
  ['[[ a = b; c ]]', 'leftDelim identifier assign identifier semicolon identifier rightDelim eof'],
  ['[[ a || b && c ]]', 'leftDelim identifier or identifier and identifier rightDelim eof'],
  ['[[ a or b and not c ]]', 'leftDelim identifier or identifier and not identifier rightDelim eof'],
  ['[[ a | b: _ ]]', 'leftDelim identifier pipe identifier colon underscore rightDelim eof'],
  [
    '[[ 1 <= 2 >= 3 != 4 == 5 ]]',
    'leftDelim number lessEquals number greatEquals number notEquals number equals number rightDelim eof',
  ],
  ['[[ "a" `b` \'c\' ]]', 'leftDelim string rawString charConstant rightDelim eof'],
  ['[[ "a\\"]]" ]]', 'leftDelim string rightDelim eof'],
  ['[[ true false nil ]]', 'leftDelim bool bool nil rightDelim eof'],
  ['[[ _a _1 é ]]', 'leftDelim identifier identifier identifier rightDelim eof'],
  [
    '[[ x[1:2](3) ? ! ]]',
    'leftDelim identifier leftBrackets number colon number rightBrackets leftParen number rightParen ternary not rightDelim eof',
  ],
  ['[[ { ]]', 'leftDelim char rightDelim eof'],
])('tokens of %j', (source, expected) => {
  expect(kinds(source)).toBe(expected)
})

test.each([
  ['a-1', 'identifier minus number'],
  ['a -1', 'identifier number'],
  ['a - 1', 'identifier minus number'],
  ['1+-5', 'number add minus number'],
  ['f(1)-1', 'identifier leftParen number rightParen minus number'],
  ['a[0]-1', 'identifier leftBrackets number rightBrackets minus number'],
  ['-0x1F', 'number'],
  ['.5', 'number'],
  ['1e-3', 'number'],
  ['"a"+1', 'string add number'],
])('a sign belongs to a number unless it stands directly behind an operand: %s', (source, expected) => {
  expect(kinds(`[[ ${source} ]]`)).toBe(`leftDelim ${expected} rightDelim eof`)
})

test.each([
  ['a \t\r\n[[- 1 ]]', 'a'],
  ['a [[-1]]', 'a '],
  ['a [[-\n1]]', 'a '],
  ['[[ 1 -]] \t\r\nb', 'b'],
  ['[[ 1\n-]] b', ' b'],
])('trim markers need a space: %j', (source, text) => {
  const texts = tokenize(source, CCM).filter(({ kind }) => kind === 'text')
  expect(texts.map((token) => token.text).join('')).toBe(text)
})

test('a comment counts only when the first character of the left delimiter follows', () => {
  const texts = (source: string): string =>
    tokenize(source, CCM)
      .filter(({ kind }) => kind === 'text')
      .map(({ text }) => text)
      .join('')
  expect(texts('a{* c *}b')).toBe('a{* c *}b')
  expect(texts('a{* c *}b[[1]]')).toBe('ab')
  expect(texts('a{* c *}b[')).toBe('ab[')
  expect(texts('[[1]]a{* c *}b')).toBe('a{* c *}b')
})

test('comment delimiters can be changed and a comment may hold actions', () => {
  const syntax = { delimiters: ['<<', '>>'], commentDelimiters: ['<#', '#>'] } as const
  expect(tokenize('a<# << x >> #>b', syntax).map(({ text }) => text)).toEqual(['a', 'b', ''])
})

test('the right delimiter ends an action wherever it stands, also behind a bracket', () => {
  expect(kinds('[[ a[b[0]] ]]')).toBe(
    'leftDelim identifier leftBrackets identifier leftBrackets number rightDelim text eof',
  )
})

test('empty delimiters mean the default ones', () => {
  const tokens = tokenize('{* c *}{{ 1 }}', { delimiters: ['', ''], commentDelimiters: ['', ''] })
  expect(tokens.map(({ kind }) => kind)).toEqual(['leftDelim', 'number', 'rightDelim', 'eof'])
})

test.each([
  ['a [[ "x', 'unterminated quoted string', 5],
  ['a [[ "x\n" ]]', 'unterminated quoted string', 5],
  ["a [[ 'x", 'unterminated character constant', 5],
  ['a [[ `x', 'unterminated raw quoted string', 5],
  ['a [[ x', 'unclosed action', 6],
  ['a {* [[ 1 ]]', 'unclosed comment', 2],
  ['a [[ (x ]]', 'unclosed left parenthesis', 8],
  ['a [[ x) ]]', "unexpected right paren U+0029 ')'", 6],
  ['a [[ 1x ]]', 'bad number syntax: "1x"', 5],
  ['a [[ x# ]]', "bad character U+0023 '#'", 5],
  ['a [[ .x# ]]', "bad character U+0023 '#'", 5],
  ['a [[ \u0001 ]]', "unrecognized character in action: U+0001 '\u0001'", 5],
  ['a [[ 😀 ]]', "unrecognized character in action: U+1F600 '😀'", 5],
])('error in %j', (source, message, offset) => {
  expect(tokenize(source, CCM).at(-1)).toEqual({ kind: 'error', text: message, offset, spaceBefore: false })
})

test('a token knows its offset and whether white space stands before it', () => {
  expect(tokenize('é[[ a .b]]', CCM).slice(2, 4)).toEqual([
    { kind: 'identifier', text: 'a', offset: 4, spaceBefore: true },
    { kind: 'field', text: '.b', offset: 6, spaceBefore: true },
  ])
})
