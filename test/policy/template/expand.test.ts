import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { TemplateError } from '../../../src/templates/errors.ts'
import { expandMatch, expandString, expandTyped, type Evaluator } from '../../../src/policy/template/expand.ts'
import { Budget, type GoValue } from '../../../src/templates/govalue/index.ts'

const values = new Map<string, GoValue>([
  ['name', 'web01'],
  ['empty', ''],
  ['nothing', null],
  ['port', 8080n],
  ['zero', 0n],
  ['off', false],
  ['ratio', 0.5],
  ['big', 1e6],
  ['list', ['a', 1n, null]],
  [
    'map',
    new Map<GoValue, GoValue>([
      ['b', 2n],
      ['a', 'x'],
    ]),
  ],
  ['trap', '{{ name }} ${ name } $${'],
])

/** Expressions are names of the values above; `fail` fails in its third character. */
const evaluator: Evaluator = {
  evaluate: (expression) => {
    const value = values.get(expression)
    if (value === undefined) throw new TemplateError(`unknown name ${expression}`, 2, { hint: 'did you mean "name"?' })
    return value
  },
  withBudget: (run) => run(new Budget()),
}

describe('as a string', () => {
  test.each([
    ['', ''],
    ['plain', 'plain'],
    ['{{ name }}', 'web01'],
    ['a {{ name }} b ${port} c', 'a web01 b 8080 c'],
    ['${{ port }}', '$8080'],
    ['{{ list }} {{ map }}', '[a 1 <nil>] map[a:x b:2]'],
    ['{{ big }} {{ ratio }} {{ off }} {{ nothing }}|{{ empty }}|', '1e+06 0.5 false <nil>||'],
    ['{{ unclosed', '{{ unclosed'],
    ['$${name}', '${name}'],
  ])('%j', (text, expanded) => {
    expect(expandString(text, evaluator)).toBe(expanded)
  })

  test('the result of an expression is not expanded again', () => {
    expect(expandString('<{{ trap }}>', evaluator)).toBe('<{{ name }} ${ name } $${>')
    expect(expandTyped('{{ trap }}', evaluator)).toBe('{{ name }} ${ name } $${')
  })
})

describe('typed', () => {
  test.each<[string, GoValue]>([
    ['{{ port }}', 8080n],
    ['  ${ port }\n', 8080n],
    ['{{ nothing }}', null],
    ['{{ list }}', ['a', 1n, null]],
    [':{{ port }}', ':8080'],
    ['{{ port }}{{ port }}', '80808080'],
    ['${{ port }}', '$8080'],
    ['', ''],
    ['8080', '8080'],
  ])('%j', (text, value) => {
    expect(expandTyped(text, evaluator)).toEqual(value)
  })
})

describe('matched', () => {
  test.each([
    ['role:{{ name }}', true],
    ['role:{{ empty }}', false],
    ['role:{{ nothing }}', false],
    ['role:{{ zero }}', true],
    ['role:{{ off }}', true],
    ['{{ empty }}{{ name }}', true],
    ['plain', true],
    ['$${', true],
    ['', false],
  ])('%j: %s', (text, matched) => {
    expect(expandMatch(text, evaluator).matched).toBe(matched)
  })
})

test.each([
  ['{{ fail }}', 5],
  ['é😀 {{\n fail }} x', 10],
  ['{{ name }} ${fail}', 15],
])('an error in %j has its place in the whole string and keeps its hint', (text, offset) => {
  const error = (() => {
    try {
      return expandString(text, evaluator)
    } catch (thrown) {
      return thrown
    }
  })()
  expect(error).toBeInstanceOf(TemplateError)
  expect(error).toMatchObject({ offset, message: 'unknown name fail', hint: 'did you mean "name"?' })
})

test('output is limited', () => {
  const small: Evaluator = { ...evaluator, withBudget: (run) => run(new Budget({ outputLength: 20 })) }
  expect(() => expandString('{{ name }}{{ name }}{{ name }}{{ name }}{{ name }}', small)).toThrow(/output is longer/)
})

test('text without braces and dollars is never touched', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      const plain = text.replaceAll(/[{$]/g, '')
      expect(expandString(plain, evaluator)).toBe(plain)
    }),
  )
})

test('any text can be written with expressions that give it', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme' })), (texts) => {
      const parts: Evaluator = { ...evaluator, evaluate: (index) => texts[Number(index)] ?? '' }
      const template = texts.map((_, index) => `{{ ${index} }}`).join('')
      expect(expandString(template, parts)).toBe(texts.join(''))
    }),
  )
})
