import fc from 'fast-check'
import { expect, test } from 'vitest'
import { TemplateError } from '../../../src/templates/errors.ts'
import { Budget, type GoValue } from '../../../src/templates/govalue/index.ts'
import { parseJet, printTemplate, renderJet } from '../../../src/templates/jet/index.ts'
import { DATA, func } from './support.ts'
import { cases } from '../../support/soak.ts'

const LIMITS = { steps: 5_000, elements: 10_000, outputLength: 5_000, nesting: 20 }

// Pieces of which most neighbours fit together, so that random sequences get far into parser and evaluator.
const PIECES =
  `[[ ]] [[- -]] if else range end try catch block yield content include return extends import nil true not and or
  _ . .port .nested.x data data.list data.missing data.port x y e f upper raw isset len ints map slice json repeat
  exec includeIfExists b() b(a=1) 1 0 -1 2.5 0x1F "s" \`r\` 'c' "other" ( ) [ ] , ; : := = == != < >= + - * / % ? | ! &&
  || {* *} # text \\ "`
    .split(/\s+/)
    .concat(' ', '\n', '[[ if ', '[[ range i, v := ', '[[ end ]]', '[[ try ]]', '[[ block b(a=1) ]]', '[[ yield b() ]]')

const pieces: fc.Arbitrary<string> = fc
  .array(fc.constantFrom(...PIECES), { maxLength: 60 })
  .map((list) => list.join(' '))

const SEEDS = [
  '[[ x := data.port ]][[ if x > 80 && isset(data.list) ]]yes [[ x + 1 | json ]][[ else ]]no[[ end ]]',
  '[[ range i, v := data.list ]][[ i ]]=[[ v | upper | raw ]],[[ else ]]none[[ end ]]',
  '[[ block b(a=1, c="x") . ]][[ yield content ]][[ a ]][[ content ]]in[[ end ]][[ yield b(a=2) content ]]out[[ end ]]',
  '[[ try ]][[ include "other" .nested ]][[ nope ]][[ catch e ]][[ e.Error() ]][[ end ]][[ v, ok := data["port"] ]]',
  '[[- f: 1, data.list[0:1] | repeat("ab", len(_)) -]] {* comment *} [[ return slice(1, map("a", nil)) ]]',
]

const mutated: fc.Arbitrary<string> = fc
  .tuple(
    fc.constantFrom(...SEEDS),
    fc.array(fc.tuple(fc.nat(200), fc.nat(6), fc.constantFrom(...PIECES)), { maxLength: 6 }),
  )
  .map(([seed, edits]) =>
    edits.reduce((text, [at, cut, piece]) => text.slice(0, at) + piece + text.slice(at + cut), seed),
  )

function renderQuietly(source: string, limits = LIMITS): string | TemplateError {
  const functions = new Map([['f', func('f', (args) => args[0] ?? null)]])
  try {
    return renderJet(source, {
      delimiters: ['[[', ']]'],
      variables: new Map<string, GoValue>([['data', DATA]]),
      context: DATA,
      functions,
      budget: new Budget(limits),
      loader: (path) => (path === '/other' ? '[[ . ]][[ include "other" ]]' : path === '/s' ? 'S' : undefined),
    })
  } catch (error) {
    if (error instanceof TemplateError) return error
    throw error
  }
}

test.each([
  ['random text', fc.string({ unit: 'binary', maxLength: 200 })],
  ['random actions', fc.string({ maxLength: 100 }).map((text) => `[[${text}]]`)],
  ['random sequences of pieces', pieces],
  ['mutated templates', mutated],
])('%s give text within the limit or a TemplateError in the template', (_, sources) => {
  fc.assert(
    fc.property(sources, (source) => {
      const result = renderQuietly(source)
      if (typeof result === 'string') {
        expect(result.length).toBeLessThanOrEqual(LIMITS.outputLength)
      } else if (result.offset !== undefined) {
        expect(result.offset).toBeGreaterThanOrEqual(0)
        expect(result.offset).toBeLessThanOrEqual(source.length)
      }
    }),
    { numRuns: cases({ usual: 200, soak: 15_000 }) },
  )
})

test('text without marks is copied', () => {
  fc.assert(
    fc.property(
      fc
        .string({ unit: 'binary' })
        .map((text) => `x${text}`)
        .filter((text) => !/\[\[|\{\*/.test(text)),
      (text) => {
        expect(renderQuietly(text)).toBe(text)
      },
    ),
  )
})

test('the canonical form is its own canonical form', () => {
  fc.assert(
    fc.property(fc.oneof(pieces, mutated), (source) => {
      let canonical: string
      try {
        canonical = printTemplate(parseJet(source, { delimiters: ['[[', ']]'] }))
      } catch (error) {
        expect(error).toBeInstanceOf(TemplateError)
        return
      }
      // Without parentheses another tree may come out, and text may look like an action of the default delimiters.
      if (source.includes('(') || source.includes('{')) return
      expect(printTemplate(parseJet(canonical))).toBe(canonical)
    }),
    { numRuns: cases({ usual: 200, soak: 10_000 }) },
  )
})

test('arithmetic of literals is that of floats', () => {
  const number = fc.integer({ min: -1_000, max: 1_000 })
  fc.assert(
    fc.property(number, number, fc.constantFrom('+', '-', '*'), (a, b, operator) => {
      const expected = operator === '+' ? a + b : operator === '-' ? a - b : a * b
      expect(renderQuietly(`[[ (${a} ${operator} ${b}) == ${expected} ]]`)).toBe('true')
    }),
  )
})
