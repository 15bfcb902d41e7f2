import { expect, test } from 'vitest'
import { TemplateError } from '../../../src/templates/errors.ts'
import { parseGoTemplate, renderGoTemplate, type ParsedGoTemplate } from '../../../src/templates/gotemplate/index.ts'
import { Budget, fromPlain, stringMap, type GoFunction, type GoValue } from '../../../src/templates/govalue/index.ts'
import { errorOf, render } from './render.ts'

function hostFunction(name: string, call: GoFunction['call']): GoFunction {
  return { kind: 'function', name, call }
}

test('functions of the host hide those of sprig, later ones hide earlier ones', () => {
  const functions = [hostFunction('upper', () => 'first'), hostFunction('upper', ([value = null]) => [value, 'second'])]
  expect(render('{{ upper "a" }}', null, { functions })).toBe('[a second]')
})

test('a function of the host makes a refused name usable', () => {
  expect(render('{{ env "HOME" }}', null, { functions: [hostFunction('env', () => '/root')] })).toBe('/root')
})

test('functions given for one run take the place of those given when parsing', () => {
  const template = parseGoTemplate('{{ lookup "x" }}', { name: 't', functions: [hostFunction('lookup', () => 1n)] })
  expect(renderGoTemplate(template, null)).toBe('1')
  expect(renderGoTemplate(template, null, { functions: [hostFunction('lookup', () => 2n)] })).toBe('2')
  expect(renderGoTemplate(template, null)).toBe('1')
})

test('a function named break hides the keyword', () => {
  expect(render('{{ break }}', null, { functions: [hostFunction('break', () => 'pause')] })).toBe('pause')
})

test('an error of the host becomes an error of the call, with its place', () => {
  const failing = hostFunction('lookup', () => {
    throw new TemplateError("missing key 'x' in environment")
  })
  const error = errorOf('a {{ lookup "x" }}', null, { functions: [failing] })
  expect(error.message).toBe(
    `template: t:1:5: executing "t" at <lookup "x">: error calling lookup: missing key 'x' in environment`,
  )
  expect(error.offset).toBe(5)
})

test('an error that is no template error is left alone', () => {
  const broken = hostFunction('lookup', () => {
    throw new TypeError('broken')
  })
  expect(() => render('{{ lookup }}', null, { functions: [broken] })).toThrow(TypeError)
})

test('functions in data can be called, but not printed', () => {
  const data: GoValue = new Map<GoValue, GoValue>([['f', hostFunction('f', ([value = null]) => value)]])
  const template = parseGoTemplate('{{ call .f "x" }}', { name: 't' })
  expect(renderGoTemplate(template, data)).toBe('x')
  expect(() => renderGoTemplate(parseGoTemplate('{{ .f }}', { name: 't' }), data)).toThrow("can't print f of type func")
})

test('set changes neither the data of the caller nor the results of its functions', () => {
  const inner = new Map<GoValue, GoValue>([['a', 1n]])
  const data = new Map<GoValue, GoValue>([
    ['m', inner],
    ['same', inner],
  ])
  const functions = [hostFunction('lookup', () => inner)]
  const source = '{{ $_ := set .m "a" 2 }}{{ .m.a }}{{ .same.a }}{{ $l := lookup }}{{ $_ := set $l "a" 3 }}{{ $l.a }}'
  expect(renderGoTemplate(parseGoTemplate(source, { name: 't', functions }), data)).toBe('223')
  expect(inner).toEqual(new Map([['a', 1n]]))
})

test('templates are associated: a set parsed first can be called and replaced', () => {
  const partials = parseGoTemplate('{{ define "a" }}A{{ end }}{{ define "b" }}B{{ end }}', { name: 'partials' })
  const page = parseGoTemplate(
    '{{ define "b" }}new{{ end }}{{ define "a" }} {{ end }}{{ template "a" }}{{ template "b" }}',
    {
      name: 'page',
      associated: partials,
    },
  )
  expect(renderGoTemplate(page, null)).toBe('Anew')
  expect(renderGoTemplate(partials, null)).toBe('')
})

test('a template can call itself by its name', () => {
  expect(render('{{ . }}{{ if . }}{{ template "t" slice . 1 }}{{ end }}', 'abc', { library: 'builtin' })).toBe('abcbcc')
})

test.each([
  [{ left: '[[', right: ']]' }, '[[ .a ]]{{ .a }}[[- /* c */ -]] x', '1{{ .a }}x'],
  [{ left: '<%', right: '%>' }, '<% if .a %>y<% end %>', 'y'],
  [{ left: '', right: '' }, '{{ .a }}', '1'],
  [{ left: '|', right: '|' }, '|.a|', '1'],
  [{ left: '(日)', right: '(本)' }, '(日).a(本)', '1'],
])('delimiters %o', (delimiters, source, expected) => {
  expect(render(source, { a: 1 }, { delimiters })).toBe(expected)
})

test('rendering inside rendering shares the budget and its nesting', () => {
  const budget = new Budget()
  const parsed: { template?: ParsedGoTemplate } = {}
  const self = hostFunction('render', ([data = null]) =>
    parsed.template === undefined ? '' : renderGoTemplate(parsed.template, data, { budget }),
  )
  parsed.template = parseGoTemplate('{{ range . }}<{{ render . }}>{{ end }}', { name: 't', functions: [self] })
  expect(renderGoTemplate(parsed.template, fromPlain([[[], []], []]), { budget })).toBe('<<><>><>')
  parsed.template = parseGoTemplate('{{ if true }}{{ render 1 }}{{ end }}', { name: 't', functions: [self] })
  const endless = parsed.template
  expect(() => renderGoTemplate(endless, null, { budget: new Budget() })).toThrow(TemplateError)
})

test('names of the JavaScript runtime are ordinary missing keys', () => {
  const source =
    '{{ .__proto__ }} {{ .constructor }} {{ index . "toString" }} {{ (dict "__proto__" 1).__proto__ }} {{ .a.hasOwnProperty }}'
  expect(render(source, { a: {} })).toBe('<no value> <no value> <no value> 1 <no value>')
  expect(errorOf('{{ constructor }}', null).message).toContain('function "constructor" not defined')
  expect(errorOf('{{ .x.length }}', { x: 'abc' }).message).toContain("can't evaluate field length in type string")
})

test('times print as Go source with %#v', () => {
  const source = '{{ printf "%#v" (toDate "2006-01-02 15:04" "2024-02-03 04:05") }}'
  expect(render(source, null)).toBe('time.Date(2024, time.February, 3, 4, 5, 0, 0, time.UTC)')
})

test('a version in a list is copied and merged as a version', () => {
  const source = '{{ $d := merge (dict "v" (semver "1.2.3")) (dict "x" 1) }}{{ (deepCopy $d).v.Major }}{{ $d.v }}'
  expect(render(source, null)).toBe('11.2.3')
})

test('bytes are lists of numbers and text', () => {
  const data = new Map<GoValue, GoValue>([['b', new Uint8Array([104, 105])]])
  const source =
    '{{ .b }} {{ len .b }} {{ index .b 0 }} {{ slice .b 1 }} {{ range $i, $e := .b }}{{ $i }}{{ $e }} {{ end }}{{ printf "%s %x %q %d %#v %X" .b .b .b .b .b .b }}'
  const template = parseGoTemplate(source, { name: 't', library: 'builtin' })
  expect(renderGoTemplate(template, data)).toBe(
    '[104 105] 2 104 [105] 0104 1105 hi 6869 "hi" [104 105] []byte{0x68, 0x69} 6869',
  )
  expect(
    renderGoTemplate(parseGoTemplate('{{ toString .b }} {{ first .b }} {{ toStrings .b }}', { name: 't' }), data),
  ).toBe('hi 104 [104 105]')
})

test('a key that a map of strings lacks is nothing as a field and an empty text as an index, as in Go', () => {
  const data = new Map<GoValue, GoValue>([['environ', stringMap([['HOME', '/root']])]])
  const template = parseGoTemplate('{{ .environ.HOME }} {{ .environ.NOPE }} [{{ index .environ "NOPE" }}]', {
    name: 't',
  })
  expect(renderGoTemplate(template, data)).toBe('/root <no value> []')
})
