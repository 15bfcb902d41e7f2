import { expect, test } from 'vitest'
import { BudgetError, TemplateError } from '../../../src/templates/errors.ts'
import { Budget } from '../../../src/templates/govalue/index.ts'
import { errorOf, render } from './render.ts'

const DOUBLING = '{{ $x := "abcdefgh" }}{{ range until 100 }}{{ $x = cat $x $x }}{{ end }}'

test.each([
  ['text grows by doubling', DOUBLING],
  ['lists grow by doubling', '{{ $x := list 1 }}{{ range until 60 }}{{ $x = list $x $x }}{{ end }}{{ $x }}'],
  ['lists grow by joining', '{{ $x := list 1 }}{{ range until 60 }}{{ $x = concat $x $x }}{{ end }}'],
  ['a long list', '{{ until 1000000000 }}'],
  ['a long sequence', '{{ seq 1 1000000000 }}'],
  ['a long loop', '{{ range 1000000000 }}{{ end }}'],
  ['a repeated text', '{{ repeat 1000000000 "x" }}'],
  ['wide numbers', '{{ range until 500 }}{{ $x := printf "%999999d" 1 }}{{ end }}'],
  ['precise numbers', '{{ range until 500 }}{{ $x := printf "%.999999f" 1.5 }}{{ end }}'],
  ['deep indentation', '{{ $x := repeat 100000 "\\n" }}{{ indent 100000 $x }}'],
  ['many replacements', '{{ $x := repeat 100000 "a" }}{{ replace "a" $x $x }}'],
  ['long line breaks', '{{ $x := repeat 1000000 "a" }}{{ wrapWith 1 $x $x }}'],
  ['long separators', '{{ $x := repeat 1000000 "a" }}{{ join $x (until 10000) }}'],
  ['many matches', '{{ $x := repeat 100000 "a" }}{{ regexReplaceAll "a" $x $x }}'],
  ['many escapes', '{{ $x := repeat 1000000 "\\x01" }}{{ quote $x $x $x $x }}'],
  ['a template calling itself', '{{ define "r" }}{{ template "r" }}{{ end }}{{ template "r" }}'],
  ['a dict in itself, printed', '{{ $d := dict }}{{ $_ := set $d "d" $d }}{{ $d }}'],
  ['a dict in itself, as JSON', '{{ $d := dict }}{{ $_ := set $d "d" $d }}{{ toJson $d }}'],
  [
    'dicts in themselves, merged',
    '{{ $d := dict }}{{ $_ := set $d "d" $d }}{{ $e := dict }}{{ $_ := set $e "d" $e }}{{ merge $d $e }}',
  ],
  [
    'dicts in themselves, compared',
    '{{ $d := dict }}{{ $_ := set $d "d" $d }}{{ $e := dict }}{{ $_ := set $e "d" $e }}{{ deepEqual $d $e }}',
  ],
  ['a value that is too deep', '{{ $x := list 1 }}{{ range until 2000 }}{{ $x = list $x }}{{ end }}{{ $x }}'],
  ['a number with too many digits', `{{ mulf ${'1e300 '.repeat(40)} }}`],
])('%s: the budget ends it, with the place', (_, source) => {
  const error = errorOf(source, null)
  expect(error).toBeInstanceOf(BudgetError)
  expect(error.offset).toBeTypeOf('number')
})

test('a value that is too deep for printf is an error too', () => {
  const error = errorOf('{{ $d := dict }}{{ $_ := set $d "d" $d }}{{ printf "%d" $d }}', null)
  expect(error.message).toContain('nested deeper')
})

test('a dict in itself can be copied', () => {
  expect(render('{{ $d := dict }}{{ $_ := set $d "d" $d }}{{ $e := deepCopy $d }}{{ len $e.d.d }}', null)).toBe('1')
})

test.each([
  ['blocks', '{{if 1}}'.repeat(20_000) + '{{end}}'.repeat(20_000)],
  ['blocks without end', '{{if 1}}'.repeat(20_000)],
  ['loops', '{{range .}}'.repeat(20_000)],
  ['parentheses', `{{ ${'('.repeat(100_000)}1${')'.repeat(100_000)} }}`],
  ['blocks of templates', '{{block "x" .}}'.repeat(20_000)],
])('nesting of %s is limited when parsing', (_, source) => {
  const error = errorOf(source, null)
  expect(error.message).toContain('max expression depth exceeded')
  expect(error.offset).toBeGreaterThan(0)
})

test('else if chains are not nesting', () => {
  expect(render(`{{if 0}}${'{{else if 0}}'.repeat(5000)}{{else}}x{{end}}`, null)).toBe('x')
})

test('blocks and calls together stay far from the end of the stack', () => {
  const body = `${'{{if 1}}'.repeat(90)}{{template "r" .}}${'{{end}}'.repeat(90)}`
  const error = errorOf(`{{define "r"}}${body}{{end}}{{template "r" .}}`, null)
  expect(error).toBeInstanceOf(BudgetError)
  const inParentheses = `{{ template "r" ${'('.repeat(90)}1${')'.repeat(90)} }}`
  expect(errorOf(`{{define "r"}}${inParentheses}{{end}}{{template "r"}}`, null)).toBeInstanceOf(TemplateError)
})

test('a source that is too long is refused', () => {
  expect(() => render('x'.repeat(2_000_000), null)).toThrow(BudgetError)
})

test.each([
  ['steps', { steps: 50 }, '{{ range 100 }}x{{ end }}'],
  ['output', { outputLength: 10 }, '{{ range 100 }}x{{ end }}'],
  ['nesting', { nesting: 1 }, '{{ define "a" }}{{ template "b" }}{{ end }}{{ define "b" }}{{ end }}{{ template "a" }}'],
  ['elements', { elements: 10 }, '{{ until 100 }}'],
])('the caller can lower the limit of %s', (_, limits, source) => {
  const error = errorOf(source, null, { run: { budget: new Budget(limits) } })
  expect(error).toBeInstanceOf(BudgetError)
})

test('messages quote the beginning of long blocks only', () => {
  const error = errorOf(`{{ range 1000000 }}${'long text '.repeat(100)}{{ end }}`, null)
  expect(error.message.length).toBeLessThan(500)
})
