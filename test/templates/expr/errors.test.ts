import { expect, test } from 'vitest'
import { BudgetError, TemplateError } from '../../../src/templates/errors.ts'
import { compileExpression, evaluateExpression, STRING_MAP } from '../../../src/templates/expr/index.ts'
import { formatGoValue, stringMap, type GoFunction, type GoValue } from '../../../src/templates/govalue/index.ts'
import { errorOf, evaluateText, firstLine } from './evaluate-text.ts'

const data = { i: 1, s: 'x', yes: true, list: [1, 2, 3], dict: { a: 1 }, mixed: ['x', 1, null], nothing: null }

// expr-lang's texts; the offset is the place its column names, counted from 0.
test.each([
  // syntax
  ['foo.', 'unexpected end of expression (1:4)', 3],
  ['1 +', 'unexpected token EOF (1:3)', 2],
  ['[1 2]', 'unexpected token Number("2") (1:4)', 3],
  [
    '{-}',
    'a map key must be a quoted string, a number, a identifier, or an expression enclosed in parentheses (unexpected token Operator("-")) (1:2)',
    1,
  ],
  ['{a: 1, , }', 'unexpected token Operator(",") (1:8)', 7],
  [
    'list ?? 1 || 2',
    'Operator (||) and coalesce expressions (??) cannot be mixed. Wrap either by parentheses. (1:11)',
    10,
  ],
  ['1 not == 2', 'unexpected token Operator("==") (1:7)', 6],
  ['list | sum', 'unexpected token EOF (1:10)', 9],
  ['list | 1', 'unexpected token Number("1") (1:8)', 7],
  ['#', 'unexpected token Operator("#") (1:1)', 0],
  ['.x', 'unexpected token Operator(".") (1:1)', 0],
  ['dict.1', 'unexpected token Number(".1") (1:5)', 4],
  ['dict.(1)', 'expected name (1:7)', 6],
  ['map(list, 1; 2)', 'wrap predicate with brackets { and } (1:12)', 11],
  ['map(list)', 'expected at least 2 arguments (1:9)', 8],
  ['all()', 'expected at least 2 arguments (1:5)', 4],
  ['if yes { 1 }', 'unexpected token EOF (1:12)', 11],
  ['::nope()', 'unknown builtin nope (1:3)', 2],
  ['list[:', 'unexpected token EOF (1:6)', 5],
  ['"abc', 'literal not terminated (1:5)', 4],
  ['"a\nb"', 'literal not terminated (1:3)', 2],
  ['`abc', 'literal not terminated (1:5)', 4],
  ['/* x', 'unclosed comment (1:5)', 4],
  [String.raw`"\q"`, 'invalid char escape (1:3)', 2],
  [String.raw`"\x1"`, 'invalid char escape (1:5)', 4],
  [String.raw`"\400"`, 'unable to unescape string (1:6)', 5],
  [String.raw`b"\u0041"`, 'unable to unescape string (1:9)', 8],
  ['1x', 'bad number syntax: "1x" (1:2)', 1],
  ['0o1e', 'invalid float literal: strconv.ParseFloat: parsing "0o1e": invalid syntax (1:4)', 3],
  ['0x', 'invalid hex literal: strconv.ParseInt: parsing "0x": invalid syntax (1:2)', 1],
  ['1e999', 'invalid float literal: strconv.ParseFloat: parsing "1e999": value out of range (1:5)', 4],
  [
    '9223372036854775808',
    'invalid integer literal: strconv.ParseInt: parsing "9223372036854775808": value out of range (1:19)',
    18,
  ],
  ['s § 1', "unrecognized character: U+00A7 '§' (1:3)", 2],
  ['s + \u0000', 'unrecognized character: U+0000 (1:5)', 4],
  ['s +\n  §', "unrecognized character: U+00A7 '§' (2:3)", 6],
  // names
  ['liss', 'unknown name liss (1:1)', 0],
  ['$env.nope', 'unknown name nope (1:6)', 5],
  ['map(list, #foo)', 'unknown pointer #foo (1:11)', 10],
  ['filter(list, #index == 0)', 'unknown pointer #index (1:14)', 13],
  ['let s = 1; s', 'cannot redeclare s (1:5)', 4],
  ['let len = 1; len', 'cannot redeclare builtin len (1:5)', 4],
  ['let x = 1; let x = 2; x', 'cannot redeclare variable x (1:16)', 15],
  ['nothing()', 'nothing is nil; cannot call nil as function (1:1)', 0],
  ['s()', 'string is not callable (1:1)', 0],
  ['$env()', 'map[string]interface {} is not callable (1:1)', 0],
  // types
  ["'a' + 1", 'invalid operation: + (mismatched types string and int) (1:5)', 4],
  ["'1' == 1", 'invalid operation: == (mismatched types string and int) (1:5)', 4],
  ['7.5 % 2', 'invalid operation: % (mismatched types float64 and int) (1:5)', 4],
  ['nil + 1', 'invalid operation: + (mismatched types nil and int) (1:5)', 4],
  ['i and yes', 'invalid operation: and (mismatched types int and bool) (1:3)', 2],
  ['not i', 'invalid operation: not (mismatched type int) (1:1)', 0],
  ['-s', 'invalid operation: - (mismatched type string) (1:1)', 0],
  ['"x" in s', 'invalid operation: in (mismatched types string and string) (1:5)', 4],
  ['1 in {a: 1}', 'cannot use int as type string in map key (1:3)', 2],
  ['1 in ["a"]', 'cannot use int as type string in array (1:3)', 2],
  ['i ? 1 : 2', 'non-bool expression (type int) used as condition (1:1)', 0],
  ['1 % 0', 'integer divide by zero (1:3)', 2],
  ['s matches "["', 'error parsing regexp: missing closing ]: `[` (1:3)', 2],
  ['nil.x', 'type nil has no field x (1:5)', 4],
  ['s.x', 'type string has no field x (1:3)', 2],
  ['i[0]', 'type int[int] is undefined (1:2)', 1],
  ['list.x', 'array elements can only be selected using an integer (got string) (1:6)', 5],
  ['dict[1]', 'cannot use int to get an element from map[string]interface {} (1:6)', 5],
  ['i[:1]', 'cannot slice int (1:2)', 1],
  ['list["a":]', 'non-integer slice index string (1:6)', 5],
  // calls
  ['len(1)', 'invalid argument for len (type int) (1:1)', 0],
  ['len(nil)', 'invalid argument for len (type %!s(<nil>)) (1:1)', 0],
  ['len()', 'invalid number of arguments (expected 1, got 0) (1:1)', 0],
  ['upper()', 'not enough arguments to call upper (1:1)', 0],
  ['upper("a", "b")', 'too many arguments to call upper (1:1)', 0],
  ['upper(1)', 'cannot use int as argument (type string) to call upper  (1:7)', 6],
  ['upper(nil)', 'cannot use nil as argument (type string) to call upper (1:7)', 6],
  ['trim(1)', 'not enough arguments to call trim (1:1)', 0],
  ['max()', 'not enough arguments to call max (1:1)', 0],
  ['max(1, "2")', 'invalid argument for max (type string) (1:1)', 0],
  ['concat()', 'invalid number of arguments (expected at least 1, got 0) (1:1)', 0],
  ['concat(1)', 'cannot concat int (1:1)', 0],
  ['flatten(1)', 'cannot flatten int (1:1)', 0],
  ['keys(1)', 'cannot get keys from int (1:1)', 0],
  ['get(1)', 'invalid number of arguments (expected 2, got 1) (1:1)', 0],
  ['get(1, 2)', 'type int does not support indexing (1:5)', 4],
  ['get(list, "a")', 'non-integer slice index string (1:11)', 10],
  ['get(dict, 1)', 'cannot use int to get an element from map[string]interface {} (1:11)', 10],
  ['take(list)', 'invalid number of arguments (expected 2, got 1) (1:1)', 0],
  ['take(1, 1)', 'cannot take from int (1:1)', 0],
  ['take(list, "a")', 'cannot take string elements (1:1)', 0],
  ['map(1, #)', 'builtin map takes only array (got int) (1:5)', 4],
  ['filter(list, 1)', 'predicate should return boolean (got int) (1:14)', 13],
  ['any(list, nil)', 'predicate should has one input and one output param (1:11)', 10],
  ['reduce(list, nil)', 'predicate should has two input and one output param (1:14)', 13],
  // evaluation
  ['list[5]', 'index out of range: 5 (array length is 3) (1:5)', 4],
  ['list[-7]', 'index out of range: -4 (array length is 3) (1:5)', 4],
  ['dict.x.y', 'cannot fetch y from <nil> (1:8)', 7],
  ['dict.a.y', 'cannot fetch y from int (1:8)', 7],
  ['mixed[0].y', 'invalid operation: int(string) (1:10)', 9],
  ['mixed[0] and yes', 'interface conversion: interface {} is string, not bool (1:10)', 9],
  ['not mixed[2]', 'interface conversion: interface {} is nil, not bool (1:1)', 0],
  ['-mixed[0]', 'invalid operation: - string (1:1)', 0],
  ['mixed[0] + mixed[1]', 'invalid operation: string + int (1:10)', 9],
  ['mixed[0] * 2', 'invalid operation: string * int (1:10)', 9],
  ['mixed[0] - mixed[0]', 'invalid operation: string - string (1:10)', 9],
  ['mixed[0] / 2', 'invalid operation: string / int (1:10)', 9],
  ['mixed[0] % 2', 'invalid operation: string % int (1:10)', 9],
  ['mixed[0] ** 2', 'invalid operation: float(string) (1:10)', 9],
  ['mixed[0] < mixed[1]', 'invalid operation: string < int (1:10)', 9],
  ['mixed[0]..2', 'invalid operation: int(string) (1:9)', 8],
  ['1 in mixed[0]', 'operator "in" not defined on string (1:3)', 2],
  ['mixed[1] contains "x"', 'interface conversion: interface {} is int, not string (1:10)', 9],
  ['"x" matches mixed[0] + "["', 'error parsing regexp: missing closing ]: `[` (1:5)', 4],
  ['i % (i - 1)', 'runtime error: integer divide by zero (1:3)', 2],
  ['mixed[1]()', 'unexpected token Bracket("(") (1:9)', 8],
  ['dict.a()', 'invalid operation: cannot call non-function of type int (1:6)', 5],
  ['dict.x()', 'invalid operation: cannot call nil (1:6)', 5],
  ['mixed[1][1:]', 'cannot slice 1 (1:9)', 8],
  ['{(mixed[1]): 1}', 'interface conversion: interface {} is int, not string (1:1)', 0],
  ['mixed[1] ? 1 : 2', 'interface conversion: interface {} is int, not bool (1:10)', 9],
  ['filter(list, # > 9)[0]', 'reflect: slice index out of range (1:20)', 19],
  ['map(mixed[1], #)', 'reflect: call of reflect.Value.Len on int Value (1:1)', 0],
  ['map(dict.x, #)', 'reflect: call of reflect.Value.Len on zero Value (1:1)', 0],
  ['map($env, #)', 'reflect: call of reflect.Value.Index on map Value (1:11)', 10],
  ['reduce([], # + #acc)', 'reduce of empty array with no initial value (1:1)', 0],
  ['groupBy(list, [#])', 'cannot use []interface {} as a key for groupBy: type is not comparable (1:1)', 0],
  ['sortBy(list, #, "up")', 'unknown order, use asc or desc (1:1)', 0],
  ['sortBy(mixed[:2], #)', 'invalid operation: int < string (1:1)', 0],
  ['sort(mixed[:2])', 'invalid operation: int < string (1:1)', 0],
  ['sort(list, "up")', 'invalid order up, expected asc or desc (1:1)', 0],
  ['sum(["a"])', 'invalid operation: string + int (1:1)', 0],
  ['join(list)', 'interface conversion: interface {} is int, not string (1:1)', 0],
  ['join(mixed[1])', 'invalid argument for join (type int) (1:1)', 0],
  ['repeat("a", -1)', 'invalid argument for repeat (expected positive integer, got -1) (1:1)', 0],
  ['int("x")', 'invalid operation: int(x) (1:1)', 0],
  ['int(mixed)', 'invalid argument for int (type []interface {}) (1:1)', 0],
  ['int(mixed[2])', 'invalid operation: int(<nil>) (1:1)', 0],
  ['float("x")', 'invalid operation: float(x) (1:1)', 0],
  ['float(mixed[2])', 'invalid operation: float(<nil>) (1:1)', 0],
  ['abs(mixed[0])', 'invalid argument for abs (type string) (1:1)', 0],
  ['ceil(mixed[0])', 'invalid argument for ceil (type string) (1:1)', 0],
  ['median(1, mixed)', 'invalid argument for median (type string) (1:1)', 0],
  ['len(mixed[1])', 'invalid argument for len (type int) (1:1)', 0],
  ['bitshl(1, -1)', 'invalid operation: negative shift count -1 (type int) (1:1)', 0],
  ['get(list, mixed[0])', 'invalid operation: int(string) (1:1)', 0],
  ['take(list, mixed[0])', 'cannot take string elements (1:1)', 0],
  ['take(list, -1)', 'reflect.Value.Slice: slice index out of bounds (1:1)', 0],
  ['keys(mixed[1])', 'cannot get keys from int (1:1)', 0],
  ['values(mixed[0])', 'cannot get values from string (1:1)', 0],
  ['toPairs(mixed[2])', 'cannot transform invalid to pairs (1:1)', 0],
  ['fromPairs(mixed[1])', 'cannot transform 1 from pairs (1:1)', 0],
  ['fromPairs([1])', 'invalid pair 1 (1:1)', 0],
  ['fromPairs([[1]])', 'invalid pair length [1] (1:1)', 0],
  ['reverse(mixed[1])', 'cannot reverse int (1:1)', 0],
  ['fromJSON("{")', 'unexpected end of JSON input (1:1)', 0],
  ['toJSON(1 / 0)', 'json: unsupported value: +Inf (1:1)', 0],
  ['fromBase64("a?==")', 'illegal base64 data at input byte 1 (1:1)', 0],
  ['fromBase64("abcde")', 'illegal base64 data at input byte 4 (1:1)', 0],
])('%s fails with %s', (source, message, offset) => {
  const error = errorOf(source, data)
  expect(firstLine(error.message)).toBe(message)
  expect(error.offset).toBe(offset)
})

test('a message shows the line with a caret; characters count, not bytes or tabs', () => {
  expect(errorOf('[1,\n\t"ä😀" + x]', data).message).toBe('unknown name x (2:9)\n |  "ä😀" + x]\n | ........^')
  expect(errorOf('').message).toBe('unexpected token EOF')
})

test('a near name is suggested beside the message', () => {
  expect([errorOf('lits', data).hint, errorOf('Yes', data).hint, errorOf('uper', data).hint]).toEqual([
    'did you mean "list"?',
    'did you mean "yes"?',
    'did you mean "upper"?',
  ])
  expect(errorOf('somethingElse', data).hint).toBeUndefined()
  expect(errorOf('x'.repeat(100), data).hint).toBeUndefined()
})

test('conditions are bools, nil is false', () => {
  const bool = { result: 'bool' } as const
  expect(evaluateText('yes', data, bool)).toBe('bool true')
  expect(evaluateText('dict.x', data, bool)).toBe('bool false')
  expect(errorOf('42', data, bool).message).toBe('expected bool, but got int')
  expect(errorOf('dict.a', data, bool).message).toBe('invalid operation: bool(int)')
})

test('undeclared names can be nil instead of an error', () => {
  expect(evaluateText('nope ?? 1', data, { undefinedNames: 'nil' })).toBe('int 1')
})

const lookup: GoFunction = {
  kind: 'function',
  name: 'lookup',
  call: ([path = null]): GoValue => {
    if (path === null) throw new TemplateError('missing path')
    return `<${formatGoValue(path)}>`
  },
}
const functions = new Map([
  ['lookup', lookup],
  ['upper', lookup],
])

function callHost(source: string): GoValue {
  const compiled = compileExpression(source, { functionNames: new Set(functions.keys()) })
  return evaluateExpression(compiled, { variables: new Map(), functions })
}

test('host functions are called and override builtins, which :: still reaches', () => {
  expect([
    callHost('lookup("a")'),
    callHost('upper("a")'),
    callHost('::upper("a")'),
    callHost('"a" | upper()'),
  ]).toEqual(['<a>', '<a>', 'A', '<a>'])
  expect(() => callHost('1 + lookup(nil)')).toThrow('missing path (1:5)\n | 1 + lookup(nil)\n | ....^')
  expect(() => callHost('let lookup = 1; 2')).toThrow('cannot redeclare function lookup (1:5)')
  expect(callHost('string(lookup) + string(len)')).toBe('0x00x0')
})

test('a map of strings has no nil members', () => {
  const compiled = compileExpression('E.X + "!" + get(E, "Y")', { environment: new Map([['E', STRING_MAP]]) })
  expect(evaluateExpression(compiled, { variables: new Map([['E', stringMap([['Y', 'y']])]]) })).toBe('!y')
})

test.each(['__proto__', 'constructor', 'toString', 'length', 'hasOwnProperty'])(
  '%s is no member of anything',
  (name) => {
    const options = { checks: 'none' } as const
    for (const object of ['$env', 'dict', '{a: 1}', 'dict.a', 'yes', 'now']) {
      const source = `get(${object}, "${name}")`
      expect(evaluateText(source, data, options)).toBe('<nil> <nil>')
    }
    expect(evaluateText(name, data, options)).toBe('<nil> <nil>')
  },
)

// Each of these would run without end or out of memory.
test.each([
  'reduce(1..60, [#acc, #acc], 0) | string()',
  'reduce(1..60, [#acc, #acc], 0) | toJSON()',
  'reduce(1..60, [#acc, #acc], 0) | flatten()',
  'reduce(1..60, [#acc, #acc], 0) | median()',
  'let x = reduce(1..60, [#acc, #acc], 0); let y = reduce(1..60, [#acc, #acc], 0); x == y',
  'string(reduce(1..5000, [#acc], 0))',
  'flatten(reduce(1..5000, [#acc], 0))',
  'mean(reduce(1..5000, [#acc], 0))',
  'reduce(1..60, #acc + #acc, "aaaaaaaa")',
  'let r = 1..999; count(r, count(r, count(r, true) > 0) > 0)',
  'map(1..999999, 1..999999)',
  '1..9223372036854775807',
  'repeat("a", 1000001)',
  'let b = repeat("x", 900000); map(1..100000, upper(b))',
  'let b = repeat("x", 900000); map(1..100000, replace(b, "x", "yy"))',
  'split(repeat("a", 900000), "") | concat(1..900000)',
])('%s stops at the budget', (source) => {
  expect(errorOf(source)).toBeInstanceOf(BudgetError)
})

test.each([
  ['('.repeat(5000)],
  ['['.repeat(5000)],
  ['-'.repeat(5000) + '1'],
  [`1${'+1'.repeat(4000)}`],
  [`s${'.x'.repeat(4000)}`],
  ['if true {'.repeat(3000)],
  ['yes ? '.repeat(3000)],
  ['map(list, '.repeat(3000)],
  [`[${'1,'.repeat(10_001)}]`],
])('an expression too deep or too large is refused (%#)', (source) => {
  expect(errorOf(source, data)).toBeInstanceOf(TemplateError)
})
