import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { BudgetError } from '../../../src/templates/errors.ts'
import { Budget, encodeGoJson, formatGoValue, fromPlain, type GoValue } from '../../../src/templates/govalue/index.ts'
import { compileExpression, evaluateExpression } from '../../../src/templates/expr/index.ts'
import { parseGoTemplate, renderGoTemplate } from '../../../src/templates/gotemplate/index.ts'
import { TemplateEnvironment } from '../../../src/policy/template/index.ts'
import { renderJet } from '../../../src/templates/jet/index.ts'
import { audit } from '../audit.ts'

const environment = new TemplateEnvironment({
  facts: () => new Map(),
  data: new Map(),
  environ: new Map(),
  workingDirectory: '',
  readFile: () => '',
})

/** The most text that one evaluation may make: what an attack is measured by. */
const limits = { textLength: 1_000_000, outputLength: 100_000 }

function errorOf(run: () => unknown): unknown {
  try {
    run()
  } catch (error) {
    return error
  }
  return undefined
}

/** It must be the budget that stops it, and not what JavaScript can hold at most. */
function expectBudget(run: () => unknown): void {
  const error = errorOf(run)
  expect(error).toBeInstanceOf(BudgetError)
  expect(String(error)).toMatch(/memory budget exceeded|output is longer|needs more than/)
}

// Each step makes its text longer by a factor: 4/3 for base64 (which is how Go writes bytes), 2 for quotes in quotes.
describe('text that grows from step to step stops at the budget', () => {
  test.each([
    `[[ repeat("abc",1000)${' | json'.repeat(52)} ]]`,
    `[[ repeat("<",1000)${' | json'.repeat(52)} ]]`,
    `[[ repeat("<",1000)${' | html'.repeat(52)} ]]`,
    `[[ repeat("é",1000)${' | url'.repeat(52)} ]]`,
    `[[ x := "ab" ]][[ range ints(0, 52) ]][[ x = replace(x, "a", "aba", -1) ]][[ end ]]`,
    `[[ x := "ab" ]][[ range ints(0, 52) ]][[ x = x + x ]][[ end ]]`,
    `[[ x := "ab" ]][[ range ints(0, 52) ]][[ x = slice(x, x) ]][[ end ]][[ x ]]`,
    `[[ x := json("ab") ]][[ range ints(0, 52) ]][[ x = slice(x, x) ]][[ end ]][[ json(x) ]]`,
    `[[ x := json("ab") ]][[ range ints(0, 52) ]][[ x = slice(x, x) ]][[ end ]][[ writeJson: x ]]`,
    `[[ x := json(repeat("ab",1000)) ]][[ range ints(0, 50000) ]][[ upper(x) ]][[ end ]]`,
    `[[ x := repeat("ab",9000) ]][[ range ints(0, 50000) ]][[ y := x[1:] ]][[ end ]]`,
  ])('Jet: %s', (source) => {
    const options = {
      delimiters: ['[[', ']]'] as const,
      variables: new Map(),
      context: null,
      budget: new Budget(limits),
    }
    expectBudget(() => renderJet(source, options))
  })

  test.each([
    `"<" | toJSON()${' | toJSON()'.repeat(52)}`,
    `repeat("a", 1000)${' | toBase64()'.repeat(52)}`,
    `reduce(1..52, replace(#acc, "a", "aba"), "ab")`,
    `reduce(1..52, join([#acc, #acc], #acc), "ab")`,
    `reduce(1..52, string([#acc, #acc]), "ab")`,
    `reduce(1..52, #acc + #acc, "ab")`,
    `let x = repeat("é", 40000); map(1..50000, x[1:])`,
    `let x = repeat("é", 40000); map(1..50000, upper(x))`,
    `let x = repeat("a", 40000); map(1..50000, trimPrefix(x, "a"))`,
  ])('Expr: %s', (source) => {
    const run = (): unknown =>
      evaluateExpression(compileExpression(source), { variables: new Map() }, new Budget(limits))
    expectBudget(run)
  })

  test.each([
    ...['b64enc', 'b32enc', 'quote', 'toJson', 'toPrettyJson', 'html', 'js', 'urlquery', 'printf "%40q"'].map(
      (name) => `{{ repeat 1000 "<\\"" ${`| ${name} `.repeat(52)} }}`,
    ),
    ...['indent 9999', 'nindent 9999', 'replace "a" "aa"', 'printf "%09999s%v%v" "" ', 'cat "a" | repeat 2'].map(
      (name) => `{{ "a\\na" ${`| ${name} `.repeat(52)} }}`,
    ),
    ...['upper', 'title', 'swapcase', 'snakecase', 'toString', 'b64enc | b64dec', 'regexQuoteMeta', 'squote'].map(
      (name) => `{{ $x := repeat 9000 "a" }}{{ range until 50000 }}{{ $y := $x | ${name} }}{{ end }}`,
    ),
    `{{ $x := "a" }}{{ range until 52 }}{{ $x = join $x (list $x $x $x) }}{{ end }}`,
    `{{ $x := "a" }}{{ range until 52 }}{{ $x = list $x $x | toString }}{{ end }}`,
    `{{ $x := "a" }}{{ range until 52 }}{{ $x = list $x $x }}{{ end }}{{ $x }}`,
    `{{ printf "%999999d" 1 }}`,
  ])('text/template: %s', (source) => {
    const template = parseGoTemplate(source, { name: 't' })
    const run = (): unknown => renderGoTemplate(template, null, { budget: new Budget(limits) })
    expectBudget(run)
  })
})

test('bytes and keys count when they are printed', () => {
  const shared = (value: GoValue): GoValue => Array.from({ length: 100 }, () => value)
  for (const value of [shared(new Uint8Array(20_000)), shared(fromPlain({ ['k'.repeat(20_000)]: 1 }))]) {
    expectBudget(() => encodeGoJson(value, { budget: new Budget(limits) }))
    expectBudget(() => formatGoValue(value, new Budget(limits)))
  }
})

test('a value too large for JavaScript is an error of the template', () => {
  const host = { kind: 'function', name: 'huge', call: () => 'x'.repeat(2 ** 30) } as const
  const functions = new Map([['huge', host]])
  const jet = {
    delimiters: ['[[', ']]'] as const,
    variables: new Map(),
    context: null,
    functions,
    budget: new Budget(),
  }
  expect(errorOf(() => renderJet('[[ huge() ]]', jet))).toBeInstanceOf(BudgetError)
  const template = parseGoTemplate('{{ huge }}', { name: 't', functions: [host] })
  expect(errorOf(() => renderGoTemplate(template, null))).toBeInstanceOf(BudgetError)
})

test('long steps over text do not outlast the clock', () => {
  const budget = new Budget({ wallClockMs: -1 })
  budget.step()
  budget.text(2 ** 20 - 1)
  expect(errorOf(() => budget.text(1))).toEqual(new BudgetError('evaluation takes longer than -1 ms'))
})

test('the template of one resource ends no run', async () => {
  const attack = `[[ repeat("abc",1000)${' | json'.repeat(52)} ]]`
  const { results } = await audit(
    mkdtempSync(join(tmpdir(), 'memory-')),
    `ccm:
  resources:
    - file: {name: /nowhere/a, ensure: present, owner: root, group: root, mode: "0644", content: ${JSON.stringify(`{{ jet('${attack}') }}`)}}
    - file: {name: /nowhere/b, ensure: absent}
`,
  )
  expect(results['file#/nowhere/a']).toMatchObject({ verdict: 'error', reason: 'template' })
  expect(results['file#/nowhere/b']).toMatchObject({ verdict: 'compliant' })
})

test('messages quote at most 200 characters of a template', () => {
  const long = 'x'.repeat(5000)
  for (const source of [`Data.nope + ${long} +`, `"${long}" "${long}"`, `${long}(`, `1 + é${' '.repeat(300)}nope`]) {
    const error = errorOf(() => environment.evaluate(source))
    expect(String(error).length, source.slice(0, 20)).toBeLessThan(900)
    expect(String(error)).not.toContain('x'.repeat(201))
  }
  const caret = String(errorOf(() => environment.evaluate(`${'1 + '.repeat(200)}nope${' + 1'.repeat(200)}`)))
  const [, line = '', mark = ''] = caret.split('\n | ')
  expect(line.slice(mark.indexOf('^'))).toMatch(/^nope/)
})
