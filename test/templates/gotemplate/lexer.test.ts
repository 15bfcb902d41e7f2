import { expect, test } from 'vitest'
import { lexGoTemplate, parseGoTemplate, printStatements } from '../../../src/templates/gotemplate/index.ts'

function kinds(source: string): string[] {
  return lexGoTemplate(source).map(({ kind, value }) => (value === '' ? kind : `${kind}:${value}`))
}

// Tokens as in the documentation of text/template/parse.
test.each([
  ['', ['endOfFile']],
  ['ab', ['text:ab', 'endOfFile']],
  ['a{{.b}}c', ['text:a', 'leftDelimiter:{{', 'field:.b', 'rightDelimiter:}}', 'text:c', 'endOfFile']],
  ['a {{- . -}} b', ['text:a', 'leftDelimiter:{{', 'dot:.', 'rightDelimiter:}}', 'text:b', 'endOfFile']],
  ['{{-1}}', ['leftDelimiter:{{', 'number:-1', 'rightDelimiter:}}', 'endOfFile']],
  ['{{/* c */}}', ['comment:/* c */', 'endOfFile']],
  [
    '{{ $x := $ }}',
    [
      'leftDelimiter:{{',
      'space: ',
      'variable:$x',
      'space: ',
      'declare::=',
      'space: ',
      'variable:$',
      'space: ',
      'rightDelimiter:}}',
      'endOfFile',
    ],
  ],
  ['{{a|b}}', ['leftDelimiter:{{', 'identifier:a', 'pipe:|', 'identifier:b', 'rightDelimiter:}}', 'endOfFile']],
  ['{{été.x9_}}', ['leftDelimiter:{{', 'identifier:été', 'field:.x9_', 'rightDelimiter:}}', 'endOfFile']],
  [
    '{{"\\""`x`\'y\'}}',
    ['leftDelimiter:{{', 'string:"\\""', 'rawString:`x`', "characterConstant:'y'", 'rightDelimiter:}}', 'endOfFile'],
  ],
  [
    '{{.5 1+2i true nil}}',
    [
      'leftDelimiter:{{',
      'number:.5',
      'space: ',
      'complex:1+2i',
      'space: ',
      'boolean:true',
      'space: ',
      'nil:nil',
      'rightDelimiter:}}',
      'endOfFile',
    ],
  ],
  ['{{a#}}', ['leftDelimiter:{{', "error:bad character U+0023 '#'"]],
  ['{{:x}}', ['leftDelimiter:{{', 'error:expected :=']],
  ['{{,}}', ['leftDelimiter:{{', 'character:,', 'rightDelimiter:}}', 'endOfFile']],
  ['{{ \u0001}}', ['leftDelimiter:{{', 'space: ', 'error:unrecognized character in action: U+0001']],
  ['{{"a\\', ['leftDelimiter:{{', 'error:unterminated quoted string']],
])('tokens of %j', (source, expected) => {
  expect(kinds(source)).toEqual(expected)
})

test('offsets of tokens lead back to the source', () => {
  const source = 'text {{- if $x := .a.b | f (1.5) -}} é {{ end }}'
  for (const { value, offset } of lexGoTemplate(source)) expect(source.slice(offset, offset + value.length)).toBe(value)
})

// Canonical forms as `Node.String` of text/template/parse writes them.
test.each([
  ['{{.X|.Y}}', '{{.X | .Y}}'],
  ['{{ $x := .X }}{{ $x = 1 }}', '{{$x := .X}}{{$x = 1}}'],
  ['{{range $i,$e:=.L}}a{{else}}b{{end}}', '{{range $i, $e := .L}}"a"{{else}}"b"{{end}}'],
  ['{{if .A}}1{{else if .B}}2{{else}}3{{end}}', '{{if .A}}"1"{{else}}{{if .B}}"2"{{else}}"3"{{end}}{{end}}'],
  ['{{with .A}}1{{else with .B}}2{{end}}', '{{with .A}}"1"{{else}}{{with .B}}"2"{{end}}{{end}}'],
  ['{{template `n` .X}}{{template "m"}}', '{{template "n" .X}}{{template "m"}}'],
  ['{{(.Y .Z).F.G}}{{(1)}}{{len.x}}', '{{(.Y .Z).F.G}}{{(1)}}{{len.x}}'],
  ['{{range .}}{{break}}{{continue}}{{end}}', '{{range .}}{{break}}{{continue}}{{end}}'],
  ["{{print 1 -3.2i true nil 'a' `r` $ $.x}}", "{{print 1 -3.2i true nil 'a' `r` $ $.x}}"],
])('%s prints as %s', (source, expected) => {
  const template = parseGoTemplate(source, { name: 't' })
  expect(printStatements(template.templates.get('t')?.statements ?? [])).toBe(expected)
})
