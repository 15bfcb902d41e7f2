import { expect, test } from 'vitest'
import { Budget } from '../../../src/templates/govalue/index.ts'
import { parseJet, renderJet, renderParsedJet } from '../../../src/templates/jet/index.ts'
import { failure, func, map, render } from './support.ts'

test.each([
  ['text only', 'text only'],
  [' \t\n[[ 1 ]] ', '1 '],
  [' \n', ''],
  [' \ufeff[[ 1 ]]', ' \ufeff1'],
  [' a[[ 1 ]]', ' a1'],
  ['a [[- "b" -]] c', 'abc'],
  ['[[ x := 1; x ]]', '1'],
  ['[[ x := 1 ]][[ x = x + 1 ]][[ x ]]', '2'],
  ['[[ a, b := 1, 2 ]][[ a ]][[ b ]]', '12'],
  ['[[ a, b := 1, 2 ]][[ a, b = b, a ]][[ a ]][[ b ]]', '22'],
  ['[[ v, ok := data["port"] ]][[ v ]] [[ ok ]]', '8080 true'],
  ['[[ v, ok := data["nope"] ]][[ v ]] [[ ok ]]', ' false'],
  ['[[ v := 0 ]][[ v, _ = data["port"] ]][[ v ]]', '8080'],
  ['[[ _ = upper("a") ]][[ _ := 1 ]]', ''],
])('assignment %s', (source, expected) => {
  expect(render(source)).toBe(expected)
})

test('a declaration lives until the end of its list, an assignment where the variable is', () => {
  expect(render('[[ x := 1 ]][[ if true ]][[ x := 2 ]][[ x ]][[ end ]][[ x ]]')).toBe('21')
  expect(render('[[ x := 1 ]][[ if true ]][[ x = 2 ]][[ end ]][[ x ]]')).toBe('2')
  expect(failure('[[ if true ]][[ x := 1 ]][[ end ]][[ x ]]').message).toContain('identifier "x" not available')
  const error = failure('[[ x = 1 ]]')
  expect(error.message).toBe('Jet Runtime Error ("/f":1): could not assign "x" because variable "x" is uninitialised')
  expect(error.offset).toBe(3)
})

test('assigning to a given variable does not change it for the caller', () => {
  const variables = new Map([['x', 'a']])
  expect(render('[[ x = "b" ]][[ x ]]', { variables })).toBe('b')
  expect(variables.get('x')).toBe('a')
})

test.each([
  ['[[if data.port]]y[[else]]n[[end]]', 'y'],
  ['[[if data.missing]]y[[else]]n[[end]]', 'n'],
  ['[[if false]]1[[else if true]]2[[else]]3[[end]]', '2'],
  ['[[if false]]1[[else if false]]2[[else]]3[[end]]', '3'],
  ['[[if false]]1[[end]]', ''],
  ['[[if v, ok := data["port"]; ok]][[v]][[end]]', '8080'],
  ['[[if x := 0; x]]1[[else if y := x + 1; y]][[x]][[y]][[else]]3[[end]]', '01'],
  ['[[x := 1]][[if x = 2; x == 2]][[x]][[end]][[x]]', '22'],
])('%s', (source, expected) => {
  expect(render(source)).toBe(expected)
})

test('a variable of an if ends with it', () => {
  expect(failure('[[if x := 1; x]][[end]][[x]]').message).toContain('identifier "x"')
})

test.each([
  ['[[range data.list]][[.]],[[end]]', 'a,b,'],
  ['[[range i := data.list]][[i]]=[[.]],[[end]]', '0=a,1=b,'],
  ['[[range i, v := data.list]][[i]]=[[v]][[.port]],[[end]]', '0=a8080,1=b8080,'],
  ['[[range _, v := data.list]][[v]][[end]]', 'ab'],
  ['[[i := 9]][[v := 9]][[range i, v = data.list]][[end]][[i]][[v]]', '1b'],
  ['[[range map("b", 1, "a", 2)]][[.]][[end]]', '21'],
  ['[[range k, v := map("b", 1, "a", 2)]][[k]][[v]][[end]]', 'a2b1'],
  ['[[range ints(2, 5)]][[.]][[end]]', '234'],
  ['[[range k, v := ints(2, 5)]][[k]][[v]] [[end]]', '02 13 24 '],
  ['[[range data.bytes]][[.]] [[end]]', '104 105 '],
  ['[[range data.empty]]a[[else]]b[[end]]', 'b'],
  ['[[range data.list]]a[[else]]b[[end]]', 'aa'],
  ['[[range data.empty]]a[[end]]', ''],
  ['[[range data.list]][[end]][[.port]]', '8080'],
  ['[[range slice(data.nilv)]][[.]][[end]]', '<nil>'],
])('%s', (source, expected) => {
  expect(render(source)).toBe(expected)
})

test.each([
  ['5', 'float64'],
  ['"text"', 'string'],
  ['nil', '<invalid>'],
  ['data.nilv', 'interface {}'],
  ['data.missing', '<invalid>'],
  ['upper', 'function upper'],
])('%s cannot be ranged over', (subject, type) => {
  expect(failure(`[[range ${subject}]][[end]]`).message).toBe(
    `Jet Runtime Error ("/f":1): value of type ${type} is not rangeable`,
  )
})

test.each([
  ['a[[try]]b[[nope]]c[[end]]d', 'ad'],
  ['a[[try]]b[[end]]c', 'abc'],
  ['[[try]]b[[nope]][[catch]]c[[end]]', 'c'],
  [
    '[[try]][[upper(1)]][[catch e]][[e]][[end]]',
    'Jet Runtime Error ("/f":1): argument for position 0 must be a string, not float64',
  ],
  [
    '[[try]][[upper(1)]][[catch e]][[e.Error()]][[end]]',
    'Jet Runtime Error ("/f":1): argument for position 0 must be a string, not float64',
  ],
  ['[[try]][[1/0]][[catch e]][[e ? "yes" : "no"]] [["" + e == "x"]][[end]]', 'yes false'],
  ['[[x := 1]][[try]][[x = 2]][[y := 3]][[nope]][[end]][[x]]', '2'],
  ['[[try]][[range data.list]][[nope]][[end]][[end]][[.port]]', '8080'],
  ['[[try]][[try]][[nope]][[catch]]in[[nope]][[end]][[catch]]out[[end]]', 'out'],
])('%s', (source, expected) => {
  expect(render(source)).toBe(expected)
})

test('catch has no other method than Error', () => {
  expect(failure('[[try]][[nope]][[catch e]][[e.Nope]][[end]]').message).toContain(
    "can't evaluate index Nope in type error",
  )
})

test.each([
  ['[[block b()]]B[[end]]', 'B'],
  ['[[block b() "x"]][[.]][[end]][[.port]]', 'x8080'],
  ['[[block b(a=1)]][[a]][[end]][[yield b(a=2)]][[yield b()]]', '121'],
  ['[[block b(a=1, c=a)]][[c]][[end]][[yield b(a=2)]]', '12'],
  ['[[block b() "x"]][[.]][[end]][[yield b() "y"]]', 'xy'],
  ['[[block b()]]<[[yield content]]>[[content]]in[[end]]', '<in>'],
  ['[[block b()]]<[[yield content]]>[[end]][[yield b() content]]out[[end]]', '<><out>'],
  ['[[block b()]]<[[yield content "c"]]>[[end]][[yield b() content]][[.]][[end]]', '<><c>'],
  ['[[block b()]][[yield content]][[end]][[x := 1]][[yield b() content]][[x]][[end]]', '1'],
  ['[[block b(p=1)]][[yield content]][[end]][[yield b(p=2) content]][[p]][[end]]', '2'],
  [
    '[[block a()]]([[yield content]])[[end]][[block b()]][[yield a() content]]<[[yield content]]>[[end]][[end]][[yield b() content]]x[[end]]',
    '()(<>)(<x>)',
  ],
  ['[[yield content]]', ''],
  ['[[yield b()]][[block b()]]B[[end]]', 'BB'],
  ['[[block b()]]1[[end]][[block b()]]2[[end]]', '22'],
])('%s', (source, expected) => {
  expect(render(source)).toBe(expected)
})

test.each([
  ['[[yield b()]]', 'unresolved block "b"!!'],
  ['[[block b(a)]][[end]]', "missing name for block parameter 'a'"],
  ['[[block b(a=1)]][[end]][[yield b(2)]]', "missing name for block parameter 'a'"],
  ['[[block b()]][[end]][[yield b(x)]]', "missing name for block parameter 'x'"],
  ['[[include 1]]', 'evaluating name of template to include: unexpected expression type "float64"'],
  ['[[include nil]]', 'evaluating name of template to include: name is not a valid value'],
  ['[[include "x"]]', 'template /x could not be found'],
  ['[[exec("x")]]', 'exec(x): template /x could not be found'],
])('%s fails', (source, message) => {
  expect(failure(source).message).toBe(`Jet Runtime Error ("/f":1): ${message}`)
})

test.each([
  ['[[return 1]]x', 'x'],
  ['[[if true]][[return 1]][[end]]x', 'x'],
])('%s goes on', (source, expected) => {
  expect(render(source)).toBe(expected)
})

const FILES = new Map([
  ['/a.jet', 'A[[.]]'],
  ['/b.html.jet', 'B'],
  ['/c.jet.html', 'C'],
  ['/sub/rel', '[[include "sibling"]][[include "../b"]][[include "/c"]]'],
  ['/sub/sibling', 'S'],
  ['/lib', '[[block one(x=1)]]one[[x]][[end]][[block two()]]two[[end]]'],
  ['/base', '<[[block one()]]base[[end]]|[[block two()]]base2[[end]]>'],
  ['/middle', '[[extends "base"]][[block one()]]middle[[end]]ignored'],
  ['/returns', 'x[[return .port]]y'],
  ['/returnsIf', '[[if true]][[return 1]][[end]]'],
  ['/returnsRange', '[[range i, v := data.list]][[if v == "a"]][[return v]][[end]][[end]]'],
  ['/returnsElse', '[[range data.empty]][[else]][[return "e"]][[end]]'],
  ['/returnsTry', '[[try]][[return "t"]][[end]]'],
  ['/returnsCatch', '[[try]][[nope]][[catch]][[return "c"]][[end]]'],
  ['/returnsInclude', '[[include "returns"]]z'],
  ['/returnsLate', '[[return 1]][[range data.list]][[return 2]][[end]]'],
  ['/returnsOver', '[[return 1]][[if true]][[end]]'],
  ['/broken', '\n[[nope]]'],
  ['/unparsable', '\n[['],
  ['/loop', '[[include "loop"]]'],
  ['/self', '[[extends "self"]]'],
  ['/importsBroken', '[[import "unparsable"]]'],
])

const loader = (path: string): string | undefined => FILES.get(path)

test.each([
  ['[[include "a" "x"]][[.port]]', 'Ax8080'],
  ['[[include "a.jet" 1]][[include "/a" 2]][[include "b"]][[include "c"]]', 'A1A2BC'],
  ['[[include "sub/rel"]]', 'SBC'],
  ['[[extends "base"]][[block one()]]mine[[end]]', '<mine|base2>'],
  ['[[extends "middle"]][[block two()]]mine[[end]]', '<middle|mine>'],
  ['[[import "lib"]][[yield one(x=2)]]', 'one2'],
  ['[[extends "base"]][[import "lib"]]', '<one1|two>'],
  ['[[exec("returns")]]', '8080'],
  ['[[exec("returns", map("port", 5))]]', '5'],
  ['[[exec("returnsIf")]]', '1'],
  ['[[exec("returnsRange")]]', 'a'],
  ['[[exec("returnsElse")]]', 'e'],
  ['[[exec("returnsTry")]]', 't'],
  ['[[exec("returnsCatch")]]', 'c'],
  ['[[exec("returnsInclude")]]', '8080'],
  ['[[exec("returnsLate")]]', '1'],
  ['[[exec("returnsOver")]]', ''],
  ['[[exec("a")]]', ''],
  ['[[includeIfExists("a", "x")]]', 'Ax'],
  ['[[includeIfExists("none")]]', ''],
  ['[[if includeIfExists("none")]]y[[else]]n[[end]]', 'n'],
  ['[[if includeIfExists("b")]]y[[end]]', 'By'],
  ['[[includeIfExists("b") == true]]', 'Btrue'],
  [
    '[[try]][[include "broken"]][[catch e]][[e]][[end]]',
    'Jet Runtime Error ("/broken":2): identifier "nope" not available in current (map[]) or parent scope, global, or default variables',
  ],
  [
    '[[try]][[include "self"]][[end]][[try]][[include "self"]][[catch e]][[e]][[end]]',
    'Jet Runtime Error ("/f":1): template: /self:1: template /self extends or imports itself',
  ],
])('%s', (source, expected) => {
  expect(render(source, { loader })).toBe(expected)
})

test('an error in another template has no offset in this one', () => {
  expect(failure('[[include "broken"]]', { loader }).offset).toBeUndefined()
})

test('an error of parsing another template has the offset of the reference', () => {
  const included = failure(' [[include "unparsable"]]', { loader })
  expect(included.message).toBe('Jet Runtime Error ("/f":1): template: /unparsable:2: unclosed action')
  expect(included.offset).toBe(1)
  const imported = failure(' [[import "importsBroken"]]', { loader })
  expect(imported.message).toBe('template: /unparsable:2: unclosed action')
  expect(imported.offset).toBe(1)
  expect(failure('[[extends "none"]]').message).toBe('template: /f:1: template /none could not be found')
})

test('endless inclusion ends at a limit that no template can catch', () => {
  const error = failure('[[try]][[include "loop"]][[end]]', { loader })
  expect(error.name).toBe('BudgetError')
  expect(error.message).toBe('Jet Runtime Error ("/loop":1): maximum \'include\' depth (100) exceeded')
})

test.each([
  ['[[block b()]][[yield b()]][[end]]', {}],
  ['[[range ints(0, 1000000)]][[end]]', { steps: 1000 }],
  ['[[range data.list]]xxxxxxxxxx[[end]]', { outputLength: 15 }],
  ['[[x := "a"]][[range ints(0, 50)]][[x = x + x]][[end]]', {}],
  ['[[x := "a"]][[range ints(0, 50)]][[x = repeat(x, 9)]][[end]]', {}],
  ['[[x := slice()]][[range ints(0, 5000)]][[x = slice(x)]][[end]][[x]]', {}],
  ['[[range ints(0, 1000000)]][[try]][[nope]][[end]][[end]]', {}],
])('limits stop %s even inside try and isset', (source, limits) => {
  for (const guarded of [source, `[[try]]${source}[[catch]]caught[[end]]`]) {
    expect(failure(guarded, { budget: new Budget(limits) }).name).toBe('BudgetError')
  }
})

test('isset lets limits pass', () => {
  const functions = new Map([['f', func('f', () => map({}))]])
  const error = failure('[[ isset(f().a[repeat("a", 99999999)]) ]]', { functions })
  expect(error.name).toBe('BudgetError')
})

test('a stack that is used up is a limit, too', () => {
  const deep = '[[if true]]'.repeat(190) + '[[yield a()]]' + '[[end]]'.repeat(190)
  expect(failure(`[[block a()]]${deep}[[end]]`).name).toBe('BudgetError')
})

test('an error of a template that a function renders gets the place of the call', () => {
  const functions = new Map([['inner', func('inner', () => render('abcdef[[ nope ]]', { name: '/inner' }))]])
  const error = failure('a [[ inner() ]]', { functions })
  expect(error.message).toMatch(/^Jet Runtime Error \("\/f":1\): Jet Runtime Error \("\/inner":1\): identifier "nope"/)
  expect(error.offset).toBe(5)
})

test('errors that are not of the template pass through unchanged', () => {
  const functions = new Map([
    [
      'f',
      func('f', () => {
        throw new TypeError('defect')
      }),
    ],
  ])
  expect(() => render('[[try]][[ f() ]][[end]]', { functions })).toThrow(TypeError)
})

test('escaping applies to printed values only', () => {
  const options = { delimiters: ['[[', ']]'], escape: 'html' } as const
  expect(renderJet('<[["<&>\\"\'\\x00"]]>[["<" | raw]][[unsafe: "<", 1]]', options)).toBe(
    '<&lt;&amp;&gt;&#34;&#39;\ufffd><<1',
  )
  expect(renderJet('[["<" | safeHtml]][[safeJs: "<\'\\n\u00e9=\u2028"]][[writeJson("<")]][[json("<")]]', options)).toBe(
    '&lt;\\u003C\\\'\\u000A\u00e9\\u003D\\u2028"\\u003c"\n&#34;\\u003c&#34;',
  )
})

test('a parsed template can be rendered again and again', () => {
  const template = parseJet('{{ x := 1 }}{{ x = x + n }}{{ x }}')
  expect(renderParsedJet(template, { variables: new Map([['n', 1n]]) })).toBe('2')
  expect(renderParsedJet(template, { variables: new Map([['n', 2n]]) })).toBe('3')
  expect(renderParsedJet(parseJet(''))).toBe('')
})
