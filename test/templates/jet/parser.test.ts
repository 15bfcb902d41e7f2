import { expect, test } from 'vitest'
import { TemplateError } from '../../../src/templates/errors.ts'
import { Budget } from '../../../src/templates/govalue/index.ts'
import { parseJet, printTemplate, renderParsedJet } from '../../../src/templates/jet/index.ts'

function failure(work: () => unknown): TemplateError {
  try {
    work()
  } catch (error) {
    if (error instanceof TemplateError) return error
    throw error
  }
  throw new Error('nothing was thrown')
}

test.each([
  ['{{ 1+2*3 }}', '{{1 + 2 * 3}}'],
  ['{{ a .b }}', undefined],
  ['{{ a.b[1](x)[1:].c }}', '{{a.b[1](x)[1:].c}}'],
  ['{{ .a.b[:2] }}', '{{.a.b[:2]}}'],
  ['{{ .[0:1] }}', '{{.[0:1]}}'],
  ['{{ (a.b).c }}', '{{a.b.c}}'],
  ['{{ f: 1, "b" | g | h: _ }}', '{{f(1, "b") | g | h(_)}}'],
  ['{{ f(\n1,\n2,\n) }}', '{{f(1, 2)}}'],
  ['{{ x := 1; x }}', '{{x:=1;x}}'],
  ['{{ a, b = m["k"] }}', '{{a, b=m["k"]}}'],
  ['{{ .a = 1 }}', '{{.a=1}}'],
  ['{{ not a == b or -c }}', '{{!a == b || -c}}'],
  ['{{ a ? b : c ? d : e }}', '{{a?b:c?d:e}}'],
  ["{{ 'a' }}{{ nil }}{{ true }}", "{{'a'}}{{nil}}{{true}}"],
  ['{{if a}}1{{else if b}}2{{else}}3{{end}}', '{{if a}}1{{else}}{{if b}}2{{else}}3{{end}}{{end}}'],
  ['{{if x := a; x}}1{{end}}', '{{if x:=a;x}}1{{end}}'],
  ['{{range i, v := l}}1{{else}}2{{end}}', '{{range i, v:=l}}1{{else}}2{{end}}'],
  ['{{range l}}1{{end}}', '{{range l}}1{{end}}'],
  ['{{try}}1{{catch e}}2{{end}}', '{{try}}1{{catch e}}2{{end}}'],
  ['{{try}}1{{catch}}2{{end}}{{try}}3{{end}}', '{{try}}1{{catch}}2{{end}}{{try}}3{{end}}'],
  ['{{block b(a, c=1,) .x}}1{{content}}2{{end}}', '{{block b(a,c=1) .x}}1{{content}}2{{end}}'],
  ['{{yield b(1, a=2, c) .x content}}1{{end}}', '{{yield b(1,a=2,c) .x content}}1{{end}}'],
  ['{{yield b(f(1))}}', '{{yield b(f(1))}}'],
  ['{{yield content .x}}{{yield content}}', '{{yield content .x}}{{yield content}}'],
  ['{{include "a" .x}}{{include b}}', '{{include "a" .x}}{{include b}}'],
  ['{{return 1}}', '{{return 1}}'],
  [' {{extends `a`}} {{import "b"}} c', '{{extends `a`}}\n{{import "b"}}\n c'],
  ['{{import "b"}}', '{{import "b"}}'],
])('canonical form of %s', (source, expected) => {
  if (expected === undefined) expect(() => parseJet(source)).toThrow(TemplateError)
  else expect(printTemplate(parseJet(source))).toBe(expected)
})

test.each([
  ['{{}}', "parsing command: unexpected token '}}' (expected term)", 2],
  ['{{ 1 2 }}', "parsing pipeline: unexpected token '2' (expected pipe or right delimiter)", 5],
  ['{{ "a"[0] }}', "parsing pipeline: unexpected token '[' (expected pipe or right delimiter)", 6],
  ['{{ a[1:2][0] }}', "parsing pipeline: unexpected token '[' (expected pipe or right delimiter)", 9],
  ['{{ a in b }}', "parsing pipeline: unexpected token 'in' (expected pipe or right delimiter)", 5],
  ['{{ a | 1 }}', "parsing pipeline: unexpected token '1' (expected field or identifier)", 7],
  ['{{ "a".b }}', 'unexpected . after term "\\"a\\""', 6],
  ['{{ f(_, _) }}', "found two pipe slot markers ('_') for the same function call", 8],
  ['{{ f(1 }}', 'unclosed left parenthesis', 7],
  ['{{ a[1 }}', "parsing index expression: unexpected token '}}' (expected closing bracket)", 7],
  ['{{ (a b) }}', "parsing parenthesized expression: unexpected token 'b' (expected closing parenthesis)", 6],
  ['{{ a ? b }}', "parsing ternary expression: unexpected token '}}' (expected colon in ternary expression)", 9],
  ['{{ 1 = 2 }}', 'unexpected node in assign', 3],
  ['{{ .a := 2 }}', 'unexpected node type .a in variable declaration', 3],
  ['{{ a, b := 1 }}', 'unexpected number of operands in assign on range', 8],
  ['{{ a, b }}', "parsing assignment: unexpected token '}}' (expected comma or assignment)", 8],
  ['{{ a := 1 b }}', "parsing command: unexpected token 'b' (expected semicolon or right delimiter)", 10],
  [
    '{{if a = 1}}{{end}}',
    "parsing if: unexpected token '}}' (expected semicolon between assignment and expression)",
    10,
  ],
  ['{{if}}{{end}}', "parsing if: unexpected token '}}' (expected term)", 4],
  ['{{if a}}', 'unexpected EOF', 8],
  ['{{if a}}{{else}}b', 'unexpected EOF', 17],
  ['{{range a, b, c := l}}{{end}}', 'unexpected number of operands in assign on range', 16],
  ['{{range l}}{{else if x}}{{end}}', "parsing else: unexpected keyword 'if' (expected closing delimiter)", 18],
  ['{{end}}', 'unexpected {{end}}', 0],
  ['{{if a}}{{content}}{{end}}', 'unexpected {{content}}', 8],
  ['{{else}}', 'unexpected {{else}}', 0],
  ['{{catch}}', 'unexpected {{catch}}', 0],
  ['{{try}}{{catch 1}}{{end}}', "parsing catch: unexpected token '1' (expected name)", 15],
  ['{{block end()}}', "parsing block clause: unexpected keyword 'end' (expected name)", 8],
  ['{{block b}}', "parsing block clause: unexpected token '}}' (expected opening parenthesis)", 9],
  ['{{block b(1)}}', "parsing block clause: unexpected token '1' (expected closing parenthesis)", 10],
  [
    '{{block b(a b)}}',
    "parsing block clause: unexpected token 'b' (expected comma, assignment, or closing parenthesis)",
    12,
  ],
  ['{{yield 1}}', "parsing yield clause: unexpected token '1' (expected block name)", 8],
  [
    '{{yield b() 1 2}}',
    "parsing yield clause: unexpected token '2' (expected content keyword or closing delimiter)",
    14,
  ],
  ['{{include "a" 1 2}}', "parsing include invocation: unexpected token '2' (expected closing delimiter)", 16],
  ['{{return}}', "parsing return: unexpected token '}}' (expected term)", 8],
  [
    'a{{import "b"}}',
    "parsing command: unexpected keyword 'import' ('import' statements must be at the beginning of the template)",
    3,
  ],
  ['{{extends a}}', "parsing extends|import: unexpected token 'a' (expected string literal)", 10],
  ['{{extends "a"}}{{extends "b"}}', 'Unexpected extends clause: each template can only extend one template', 15],
  [
    '{{import "a"}}{{extends "b"}}',
    "Unexpected extends clause: the 'extends' clause should come before all import clauses",
    14,
  ],
  ['{{ msg }}', "parsing command: unexpected keyword 'msg' (expected term)", 3],
  ['{{ "\\q" }}', 'invalid syntax', 3],
  ['{{ "\\\'" }}', 'invalid syntax', 3],
  ['{{ "\\ud800" }}', 'invalid syntax', 3],
  ["{{ 'ab' }}", "malformed character constant: 'ab'", 3],
  ["{{ '' }}", 'invalid syntax', 3],
  ["{{ '\\q' }}", 'invalid syntax', 3],
  ['{{ 089 }}', 'integer overflow: "089"', 3],
  ['{{ 18446744073709551616 }}', 'integer overflow: "18446744073709551616"', 3],
  ['{{ 1i }}', 'illegal number syntax: "1i"', 3],
  ['{{ 0x1.8 }}', 'illegal number syntax: "0x1.8"', 3],
])('error in %s', (source, message, offset) => {
  const error = failure(() => parseJet(source, { name: 'x.jet' }))
  expect(error.message).toBe(`template: x.jet:1: ${message}`)
  expect(error.offset).toBe(offset)
})

test('an error names its line and has the offset in UTF-16 units', () => {
  const error = failure(() => parseJet('😀\n\n{{ ] }}', { name: '/a' }))
  expect(error.message).toMatch(/^template: \/a:3: /)
  expect(error.offset).toBe(7)
})

test.each(['(', '!', 'f(', 'a[', 'x ? '])('nesting with %s is limited, not left to the stack', (opening) => {
  const error = failure(() => parseJet(`{{ ${opening.repeat(50_000)}`))
  expect(error.name).toBe('BudgetError')
  expect(error.message).toBe('template: /main:1: nested deeper than 200 levels')
})

test.each(['{{if a}}', '{{range a}}', '{{try}}', '{{block a()}}', '{{yield a() content}}'])(
  'nested %s is limited',
  (opening) => {
    expect(failure(() => parseJet(opening.repeat(1_000))).name).toBe('BudgetError')
  },
)

test('a hundred and fifty levels are fine', () => {
  const source = '{{if true}}'.repeat(100) + `{{ ${'('.repeat(50)}1${')'.repeat(50)} }}` + '{{end}}'.repeat(100)
  expect(renderParsedJet(parseJet(source))).toBe('1')
})

test('long sums, long chains and many branches need no nesting', () => {
  expect(renderParsedJet(parseJet(`{{ 0${'+1'.repeat(3_000)} }}`))).toBe('3000')
  const branches = '{{else if false}}'.repeat(2_000)
  expect(renderParsedJet(parseJet(`{{if false}}${branches}{{else}}a{{end}}`))).toBe('a')
  expect(printTemplate(parseJet(`{{ a${'[0]'.repeat(2_000)} }}`))).toBe(`{{a${'[0]'.repeat(2_000)}}}`)
})

test('a template that is too long or has too many nodes is refused', () => {
  expect(failure(() => parseJet('x'.repeat(11), { budget: new Budget({ sourceLength: 10 }) })).name).toBe('BudgetError')
  expect(failure(() => parseJet('{{1}}'.repeat(10), { budget: new Budget({ nodes: 10 }) })).name).toBe('BudgetError')
})

test('a message quotes only the beginning of the invalid text', () => {
  expect(failure(() => parseJet(`{{ '${'a'.repeat(50_000)}' }}`)).message.length).toBeLessThan(1_100)
})
