import { expect, test } from 'vitest'
import type { GoValue } from '../../../src/templates/govalue/index.ts'
import { DATA, failure, func, map, render } from './support.ts'

// What Jet prints was observed with the real library unless a comment says otherwise.
test.each([
  ['data.port', '8080'],
  ['data.port + 1', '8081'],
  ['data.port / 3', '2693.3333333333335'],
  ['data.ints[0] / data.ints[1]', '0'],
  ['5/2', '2.5'],
  ['7 % 2', '1'],
  ['-7 % 2', '-1'],
  ['data.port % 2.9', '0'],
  ['1e21', '1000000000000000000000'],
  ['0.1+0.2', '0.30000000000000004'],
  ['0x10', '16'],
  ['010', '8'],
  ['2+4*4', '18'],
  ['(2+4)*4', '24'],
  ['2*5 == 10', 'true'],
  ['1 + -5', '-4'],
  ['-data.port', '-8080'],
  ['-data.fl', '-1000000'],
  ['+data.port', '8080'],
  ['"a" + 1', 'a1'],
  ['"a" + 1.5', 'a1.5'],
  ['"a" + 1e21', 'a1e+21'],
  ['"a" + data.list', 'a[a b]'],
  ['"a" + data.nilv', 'a<nil>'],
  ['"a" + data.bytes', 'ahi'],
  ['2 + "1"', '3'],
  ['data.port + "1"', '8081'],
  ['"1" + 2', '12'],
  ['data.port > 80 && data.port < 9000', 'true'],
  ['data.port >= 8080', 'true'],
  ['data.port <= 8079.5', 'false'],
  ['data.port > "80"', 'true'],
  ['1.5 < data.port', 'true'],
  ['1 == 1.0', 'true'],
  ['data.port == 8080', 'true'],
  ['"1" == 1', 'false'],
  ['1 == "1"', 'false'],
  ['data.port != 8080', 'false'],
  ['data.missing == nil', 'true'],
  ['data.nilv == nil', 'true'],
  ['data.list == data.list', 'true'],
  ['data.list == slice("a", "b")', 'true'],
  ['data.nested == map("x", 1)', 'true'],
  ['upper == upper', 'false'],
  ['1 && 2', 'true'],
  ['"" || 0', 'false'],
  ['true || nope', 'true'],
  ['false && nope', 'false'],
  ['true or false and false', 'false'],
  ['!true', 'false'],
  ['not true', 'false'],
  ['not 1 == 2', 'true'],
  ['true ? 1 : nope', '1'],
  ['false ? nope : true ? 2 : 3', '2'],
  ["'a'", '97'],
  ["'\\n'", '10'],
  ["'\\u00e9'", '233'],
  ["'\\''", '39'],
  ['"a\\tb\\x41\\u00e9\\U0001F600\\101"', 'a\tbA\u00e9\u{1f600}A'],
  ['"\\xc3\\xa9"', '\u00e9'],
  ['"\\"\\\\\\a"', '"\\\u0007'],
  ['`raw\r\n\\n`', 'raw\n\\n'],
])('%s gives %s', (expression, expected) => {
  expect(render(`[[ ${expression} ]]`)).toBe(expected)
})

test.each([
  ['data.missing', ''],
  ['data.nilv', '<nil>'],
  ['nil', ''],
  ['data.fl', '1000000'],
  ['slice(data.fl)', '[1e+06]'],
  ['data.list', '[a b]'],
  ['data.nested', 'map[x:1]'],
  ['data.bytes', 'hi'],
  ['slice(data.bytes)', '[[104 105]]'],
  ['ints(0,3)', '{-1 -1 3}'],
  ['true', 'true'],
  ['upper', '0x0'],
  ['raw', '0x0'],
])('%s prints as %j', (expression, expected) => {
  expect(render(`[[ ${expression} ]]`)).toBe(expected)
})

test.each([
  [NaN, 'Nan'],
  [Infinity, '+Inf'],
  [-0.5, '-0.5'],
  [1e-7, '0.0000001'],
  [{ kind: 'duration', nanoseconds: 5_400_000_000_000n } as const, '1h30m0s'],
])('a value %s prints as %s', (value, expected) => {
  expect(render('[[ . ]]', { context: value })).toBe(expected)
})

test.each([
  ['data.list[0]', 'a'],
  ['data.list[1.9]', 'b'],
  ['data["port"]', '8080'],
  ['data["missing"]', ''],
  ['data.text[1]', '195'],
  ['data.bytes[0]', '104'],
  ['data.numbered[1]', 'one'],
  ['data.numbered[2.5]', 'more'],
  ['data.numbered[true]', 'yes'],
  ['data.numbered[3]', ''],
  ['data.numbered[data.ints[0] ]', 'one'],
  ['map()[1]', ''],
  ['.port', '8080'],
  ['.["port"]', '8080'],
  ['.nested.x', '1'],
  ['(data).nested["x"]', '1'],
  ['data.list[:1]', '[a]'],
  ['data.list[1:]', '[b]'],
  ['data.list[:]', '[a b]'],
  ['data.list[0:1]', '[a]'],
  ['data.text[0:1]', 'h'],
  ['data.text[1:3]', '\u00e9'],
  ['data.bytes[1:]', 'i'],
])('access %s gives %j', (expression, expected) => {
  expect(render(`[[ ${expression} ]]`)).toBe(expected)
})

test.each([
  [
    'nope',
    'identifier "nope" not available in current (map[data:<map[string]interface {} Value>]) or parent scope, global, or default variables',
  ],
  ['data.missing.x', "there is no field or method 'missing' in map[string]interface {} (data.missing.x)"],
  ['.missing', "there is no field or method 'missing' in map[string]interface {} (.missing)"],
  ['data.nested.x.y', "can't evaluate index y in type int"],
  ['data.nilv.x', 'nil pointer evaluating interface {}.x'],
  ['data.missing[0]', "there is no field or method '0' in <invalid>"],
  ['data.list[2]', 'index out of range: 2'],
  ['data.list[-1]', 'index out of range: -1'],
  ['data.list["a"]', 'cannot index slice/array/string with type string'],
  ['data.list[nil]', 'cannot index slice/array/string with nil'],
  ['data.list.a', 'cannot index slice/array/string with type string'],
  ['data[1]', "can't use 1 (float64) as key for map of type map[string]interface {}"],
  ['data[data.list]', "can't use []interface {} as key for map of type map[string]interface {}"],
  ['upper[0]', "can't evaluate index 0 in type function upper"],
  ['data.list[1:3]', 'slice bounds out of range [1:3] with length 2'],
  ['data.list[2:1]', 'slice bounds out of range [2:1] with length 2'],
  ['data.list[-1:]', 'slice bounds out of range [-1:2] with length 2'],
  ['data.list["a":]', 'non numeric value in index expression kind string'],
  ['data.list[:nil]', 'non numeric value in index expression kind interface {}'],
  ['data[1:]', "can't slice value of type map[string]interface {}"],
  ['upper[1:]', "can't slice value of type function upper"],
  ['5 / 0', 'division by zero'],
  ['data.port / "0"', 'division by zero'],
  ['5 % 0', 'division by zero'],
  ['5 % 0.9', 'division by zero'],
  ['"a" % 2', 'a non numeric value in multiplicative expression'],
  ['"a" * 2', 'a non numeric value in multiplicative expression'],
  ['2 * data.list', 'type: "[]interface {}" can\'t be converted to float64'],
  ['2 * nil', "invalid value can't be converted to float64"],
  ['data.port * nil', "invalid value can't be converted to int64"],
  ['2 * "x"', 'parsing "x": invalid syntax'],
  ['data.port * "1.5"', 'parsing "1.5": invalid syntax'],
  ['"a" < "b"', 'a non numeric value in numeric comparative expression'],
  ['"a" - "b"', 'minus signal is not allowed with strings'],
  ['nil + 1', 'left side of additive expression is invalid value'],
  ['1 + nil', 'right side of additive expression is invalid value'],
  ['true + 1', 'additive expression: left side (bool) is not a numeric value'],
  ['-"a"', 'additive expression: right side (string) is not a numeric value'],
  ['"a" + upper', 'function upper cannot be used as a value'],
  ['"a" + ints(0, 1)', 'result of ints() cannot be used as a value'],
  ['"a" + writeJson(1)', 'result of writeJson() cannot be used as a value'],
  ['1 + includeIfExists("x")', 'type: "bool" can\'t be converted to float64'],
  ['1 + data.port(2)', 'node "data.port" is not func kind "int"'],
  ['data.port(2)', 'command "data.port" has arguments but is int, not a function'],
  ['1 | data.port', 'pipe command "data.port" must be a function, but is int'],
  ['1 | data.missing', 'base expression of command pipe node is invalid value'],
  ['1 | raw | upper', 'unexpected command upper, writer command should be the last command'],
  ['_', "'_' stands for a piped value, but nothing is piped here"],
  [
    'f(_)',
    'identifier "f" not available in current (map[data:<map[string]interface {} Value>]) or parent scope, global, or default variables',
  ],
])('%s fails', (expression, message) => {
  const error = failure(`\n[[ ${expression} ]]`)
  expect(error.message).toBe(`Jet Runtime Error ("/f":2): ${message}`)
  expect(error.offset).toBeGreaterThanOrEqual(1)
})

test('the offset of an error is that of the part that failed', () => {
  expect(failure('a [[ 1 + nope ]]').offset).toBe(9)
  expect(failure('a [[ data.list[5] ]]').offset).toBe(14)
  expect(failure('a [[ 1 + upper(2) ]]').offset).toBe(14)
})

test.each([
  ['0', 'no'],
  ['0.5', 'yes'],
  ['""', 'no'],
  ['"0"', 'yes'],
  ['nil', 'no'],
  ['false', 'no'],
  ['data.missing', 'no'],
  ['data.nilv', 'no'],
  ['data.empty', 'yes'],
  ['map()', 'yes'],
  ['data.ints[0] - 1', 'no'],
  ['upper', 'yes'],
  ['includeIfExists("x")', 'no'],
])('truth of %s is %s', (expression, expected) => {
  expect(render(`[[ ${expression} ? "yes" : "no" ]]`)).toBe(expected)
})

test('integers wrap at 64 bits', () => {
  const variables = new Map([['big', 9223372036854775807n]])
  expect(render('[[ one := big / big ]][[ big + one ]] [[ -big - one - one ]]', { variables })).toBe(
    '-9223372036854775808 9223372036854775807',
  )
})

test('a call of a missing function gives nothing', () => {
  expect(render('<[[ data.missing("x") ]]>')).toBe('<>')
})

test('a variable set to nil is no value', () => {
  const variables = new Map<string, GoValue>([['x', null]])
  expect(render('[[ x ]][[ . ]]|[[ isset(x) ]]', { variables, context: null })).toBe('|false')
})

test('host functions win over builtins and are called with plain values', () => {
  const seen: GoValue[][] = []
  const record = func('record', (args) => {
    seen.push([...args])
    return null
  })
  const functions = new Map([
    ['record', record],
    ['upper', func('upper', () => 'mine')],
  ])
  expect(
    render('[[ record(1, data.port, nil, "a") ]][[ 2 | record(_) ]][[ 3 | record: 4 ]][[ upper("a") ]]', { functions }),
  ).toBe('mine')
  expect(seen).toEqual([[1, 8080n, null, 'a'], [2], [3, 4]])
})

test('functions inside data can be called', () => {
  const context = map({ f: func('f', ([value]) => [value ?? null]) })
  expect(render('[[ .f(1)[0] ]] [[ 2 | .f ]] [[ .f: 3 ]]', { context })).toBe('1 [2] [3]')
})

test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])('%s is a name like any other', (name) => {
  expect(failure(`[[ ${name} ]]`).message).toContain(`identifier "${name}" not available`)
  expect(render(`[[ data.${name} ]][[ data["${name}"] ]]`)).toBe('')
  expect(failure(`[[ data.list.${name} ]]`).message).toContain('cannot index')
  expect(failure(`[[ data.text.${name} ]]`).message).toContain('cannot index')
  expect(failure(`[[ upper.${name} ]]`).message).toContain("can't evaluate")
})

test('data is never changed', () => {
  for (const target of ['.port', 'data.port', 'data.nested.x']) {
    expect(failure(`[[ ${target} = 1 ]]`).message).toBe(
      `Jet Runtime Error ("/f":1): cannot assign to ${target}: data is read-only`,
    )
  }
  expect(DATA.get('port')).toBe(8080n)
})
