import fc from 'fast-check'
import { expect, test } from 'vitest'
import { TemplateError } from '../../../src/templates/errors.ts'
import {
  lexGoTemplate,
  parseGoTemplate,
  printStatements,
  renderGoTemplate,
} from '../../../src/templates/gotemplate/index.ts'
import { SPRIG } from '../../../src/templates/gotemplate/sprig/index.ts'
import { Budget, fromPlain, type BudgetLimits } from '../../../src/templates/govalue/index.ts'
import { DATA } from './render.ts'
import { cases } from '../../support/soak.ts'

const LIMITS: Partial<BudgetLimits> = { steps: 20_000, elements: 50_000, textLength: 1_000_000, outputLength: 100_000 }

/** Renders; true if it worked, false for a template error. Everything else is thrown. */
function survives(source: string): boolean {
  try {
    const template = parseGoTemplate(source, { name: 't' })
    const output = renderGoTemplate(template, fromPlain(DATA), { budget: new Budget(LIMITS) })
    expect(output.length).toBeLessThanOrEqual(LIMITS.outputLength ?? 0)
    return true
  } catch (error) {
    if (error instanceof TemplateError) return false
    throw error
  }
}

const NAMES = [...SPRIG.keys(), 'printf', 'print', 'index', 'len', 'eq', 'lt', 'and', 'or', 'not', 'html', 'js', 'call']
const CONSTANTS = [
  '1',
  '-1',
  '0',
  '2.5',
  '1e9',
  '9223372036854775807',
  '"a"',
  '"%d %v %[3]*.[2]*[1]f"',
  '"(a+)+$"',
  'true',
  'nil',
  '.',
  '.nums',
  '.user',
  '.word',
  '.none',
  '.missing',
  '$',
  '"2006-01-02"',
  '">= 1.2"',
  '"http://h/"',
  '(list 1 "b" nil)',
  '(dict "a" 1)',
  '(until 5)',
  '(semver "1.2")',
  '(toDate "2006" "2024")',
]

const call: fc.Arbitrary<string> = fc
  .tuple(fc.constantFrom(...NAMES), fc.array(fc.constantFrom(...CONSTANTS), { maxLength: 4 }))
  .map(([name, args]) => [name, ...args].join(' '))

const pipeline = fc
  .array(fc.oneof(call, fc.constantFrom(...CONSTANTS)), { minLength: 1, maxLength: 3 })
  .map((parts) => parts.join(' | '))

const template: fc.Arbitrary<string> = fc.letrec<{ node: string }>((tie) => ({
  node: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom('text', ' \n ', '{{- 1 -}}', '{{/* c */}}'),
    pipeline.map((text) => `{{ ${text} }}`),
    pipeline.map((text) => `{{ $v := ${text} }}{{ $v }}`),
    fc.tuple(pipeline, tie('node'), tie('node')).map(([p, a, b]) => `{{ if ${p} }}${a}{{ else }}${b}{{ end }}`),
    fc
      .tuple(pipeline, tie('node'), tie('node'))
      .map(([p, a, b]) => `{{ range $i, $e := ${p} }}${a}{{ $e }}{{ else }}${b}{{ end }}`),
    fc.tuple(pipeline, tie('node')).map(([p, a]) => `{{ with ${p} }}${a}{{ end }}`),
    fc.tuple(tie('node'), tie('node')).map(([a, b]) => a + b),
  ),
})).node

test('random calls throw only template errors', () => {
  fc.assert(
    fc.property(template, (source) => {
      survives(source)
    }),
    { numRuns: cases({ usual: 200, soak: 15_000 }) },
  )
})

test('every function survives every constant', () => {
  for (const name of NAMES) {
    for (const a of CONSTANTS) {
      for (const b of ['', ' 2', ' "x"', ' .nums', ' nil "y"']) survives(`{{ ${name} ${a}${b} }}`)
    }
  }
})

test('damaged templates are errors, never crashes', () => {
  const piece = fc.constantFrom(
    '{{',
    '}}',
    '"',
    '`',
    "'",
    '(',
    ')',
    '|',
    '.',
    '$',
    '$x',
    ' ',
    '-',
    '\n',
    ':=',
    '=',
    ',',
    'if',
    'end',
    'else',
    'range',
    'define',
    '/*',
    '*/',
    '\\',
    '0x',
    '1e',
    'é',
    '\u0000',
    '\ud800',
  )
  fc.assert(
    fc.property(template, piece, fc.nat(), fc.nat(6), (source, inserted, position, removed) => {
      const at = position % (source.length + 1)
      survives(source.slice(0, at) + inserted + source.slice(at + removed))
    }),
    { numRuns: cases({ usual: 200, soak: 15_000 }) },
  )
})

test('any text is a template or a template error with an offset in it', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => {
      expect(survives(text.replaceAll('{{', ''))).toBe(true)
      try {
        parseGoTemplate(`{{${text}`, { name: 't' })
      } catch (error) {
        expect(error).toBeInstanceOf(TemplateError)
        expect(error).toHaveProperty(
          'offset',
          expect.toSatisfy((offset: number) => offset >= 0 && offset <= text.length + 2),
        )
      }
    }),
    { numRuns: cases({ usual: 200, soak: 15_000 }) },
  )
})

test('the tokens and the text between them are the whole source when nothing is trimmed', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), (text) => {
      const source = text.replaceAll('-', '')
      const tokens = lexGoTemplate(source)
      if (tokens.at(-1)?.kind === 'error' || source.includes('/*')) return
      expect(tokens.map((token) => token.value).join('')).toBe(source)
    }),
  )
})

test('the canonical form of actions parses to itself', () => {
  fc.assert(
    fc.property(pipeline, (text) => {
      const canonical = (source: string): string => {
        const parsed = parseGoTemplate(source, { name: 't' })
        return printStatements(parsed.templates.get('t')?.statements ?? [])
      }
      let once: string
      try {
        once = canonical(`{{ ${text} }}`)
      } catch (error) {
        if (error instanceof TemplateError) return
        throw error
      }
      expect(canonical(once)).toBe(once)
    }),
  )
})
