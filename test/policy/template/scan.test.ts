import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { scanTemplate } from '../../../src/policy/template/scan.ts'

/** Expressions in angle brackets between the pieces of text. */
const show = (text: string): string =>
  scanTemplate(text)
    .map((segment) => (segment.kind === 'text' ? segment.text : `<${segment.source}>`))
    .join('')

test.each([
  ['plain text', 'plain text'],
  ['', ''],
  ['{{ Data.x }}', '<Data.x>'],
  ['${ Data.x }', '<Data.x>'],
  ['${Data.x}', '<Data.x>'],
  ['a {{x}} b ${y} c', 'a <x> b <y> c'],
  ['{{x}}{{y}}', '<x><y>'],
  ['{{\n  x\n}}', '<x>'],
  ['{{}}', '<>'],
  ['${ }', '<>'],
  ['${{ x }}', '$<x>'],
  [String.raw`\{{ 1 }}`, String.raw`\<1>`],
])('%j is read as Choria reads it', (text, shown) => {
  expect(show(text)).toBe(shown)
})

describe('the end of an expression', () => {
  test.each([
    ['{{ x("}}") }}', '<x("}}")>'],
    ["{{ x('}}') }}", "<x('}}')>"],
    ['{{ x(`}}`) }}', '<x(`}}`)>'],
    [String.raw`{{ x("\"}}") }}`, String.raw`<x("\"}}")>`],
    ['{{ x(`\\`) }} y', '<x(`\\`)> y'],
    ['{{ a } b }}', '<a } b>'],
    ['{{ {a: {b: 1}}.a.b }}', '<{a: {b: 1>.a.b }}'],
    ['{{{ 1 }}}', '<{ 1>}'],
    ['${ {a: {b: 1}}.a.b }', '<{a: {b: 1}}.a.b>'],
    ['${ filter(l, { # > 5 }) }!', '<filter(l, { # > 5 })>!'],
    ['${ "}" }', '<"}">'],
  ])('%j', (text, shown) => {
    expect(show(text)).toBe(shown)
  })
})

describe('openers that are too many unclosed expressions are text', () => {
  test.each([
    ['{{ x', '{{ x'],
    ['${ x', '${ x'],
    ["{{ it's }} {{ x }}", "{{ it's }} <x>"],
    ['{{ "a }} ${ b }', '{{ "a }} <b>'],
    ['{{ ${ x }', '{{ <x>'],
    ['costs $5, $(date), $HOME', 'costs $5, $(date), $HOME'],
  ])('%j', (text, shown) => {
    expect(show(text)).toBe(shown)
  })
})

describe('$${ writes a literal ${', () => {
  test.each([
    ['$${HOME}', '${HOME}'],
    ['echo $${HOME} ${ x }', 'echo ${HOME} <x>'],
    ['$$${x}', '$${x}'],
    ['$$', '$$'],
    ['$${', '${'],
    // What follows is `{{`, which the escape is not for.
    ['$${{ x }}', '$$<x>'],
  ])('%j', (text, shown) => {
    expect(show(text)).toBe(shown)
  })
})

const pieces = fc.array(
  fc.constantFrom('{{', '}}', '${', '$${', '}', '{', '"', "'", '`', '\\', ' ', 'x', '$', '\n', 'é', '😀'),
  { maxLength: 40 },
)

test('offsets point at the expression and its braces', () => {
  fc.assert(
    fc.property(pieces, (parts) => {
      const text = parts.join('')
      let end = 0
      for (const segment of scanTemplate(text)) {
        if (segment.kind === 'text') continue
        expect(segment.start).toBeGreaterThanOrEqual(end)
        expect(text.startsWith(segment.source, segment.offset)).toBe(true)
        expect(text.slice(segment.start, segment.end)).toMatch(/^(?:\{\{[^]*\}\}|\$\{[^]*\})$/)
        end = segment.end
      }
    }),
  )
})

test('everything outside expressions and escapes is kept', () => {
  fc.assert(
    fc.property(pieces, (parts) => {
      const text = parts.join('').replaceAll('$${', '')
      const restored = scanTemplate(text).map((segment) =>
        segment.kind === 'text' ? segment.text : text.slice(segment.start, segment.end),
      )
      fc.pre(!text.includes('$${'))
      expect(restored.join('')).toBe(text)
    }),
  )
})

test('a string of openers that nothing closes is refused, not read forever', () => {
  expect(() => scanTemplate(`{{'`.repeat(400_000))).toThrow(/too many unclosed expressions/)
})
