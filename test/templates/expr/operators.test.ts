import { expect, test } from 'vitest'
import { evaluateText } from './evaluate-text.ts'

const data = {
  i: 7,
  f: 2.5,
  s: 'text',
  yes: true,
  no: false,
  nothing: null,
  list: [1, 2, 3],
  dict: { a: 1, b: { c: 'deep' } },
  mixed: [true, 'word', null, 5],
}

// Results of expr-lang as its documentation and reference tests give them.
test.each([
  // literals
  ['1_000', 'int 1000'],
  ['1_000.5', 'float64 1000.5'],
  ['0xFF + 0b11 + 0o17', 'int 273'],
  ['010', 'int 10'],
  ['1.', 'float64 1'],
  ['.5e1', 'float64 5'],
  [String.raw`"a\tb\x41\101\u00e9\u{1F600}\U0001F600"`, 'string a\tbAAé😀😀'],
  ["'it\\'s'", "string it's"],
  ['`raw \\n ``tick```', 'string raw \\n `tick`'],
  ['"a" + /* comment */ "b" // end', 'string ab'],
  [String.raw`b"\x00\377é"`, '[]uint8 [0 255 195 169]'],
  ['[1, "a", nil,]', '[]interface {} [1 a <nil>]'],
  ['{a: 1, "b c": 2, 3: 4, ("d" + "e"): 5,}', 'map[string]interface {} map[3:4 a:1 b c:2 de:5]'],
  // arithmetic
  ['9223372036854775807 + 1', 'int -9223372036854775808'],
  ['7 / 2', 'float64 3.5'],
  ['1 / 0', 'float64 +Inf'],
  ['-7 % 3', 'int -1'],
  ['2 ** 3 ** 2', 'float64 512'],
  ['-2 ^ 2', 'float64 -4'],
  ['1 ** (0 / 0)', 'float64 1'],
  ['i * f', 'float64 17.5'],
  ['i - f', 'float64 4.5'],
  ['+i - -i', 'int 14'],
  ['"a" + "b"', 'string ab'],
  ['3..5', '[]interface {} [3 4 5]'],
  ['5..3', '[]interface {} []'],
  // comparison
  ['1 == 1.0', 'bool true'],
  ['i < 8 <= 8', 'bool true'],
  ['1 < 2 < 2', 'bool false'],
  ['"B" < "a"', 'bool true'],
  ['list == [1, 2, 3]', 'bool true'],
  ['dict != {a: 1}', 'bool true'],
  ['nothing == nil', 'bool true'],
  ['1 == nil', 'bool false'],
  // membership and text
  ['2 in list', 'bool true'],
  ['2.0 in list', 'bool true'],
  ['"a" in dict', 'bool true'],
  ['"z" not in dict', 'bool true'],
  ['nil in {"": 1}', 'bool true'],
  ['1 in mixed[2]', 'bool false'],
  ['98 in b"abc"', 'bool true'],
  ['s contains "ex"', 'bool true'],
  ['s not contains "ex"', 'bool false'],
  ['s startsWith "te" and s endsWith "xt"', 'bool true'],
  ['s matches "^t.*T$"', 'bool false'],
  ['s matches "(?i)^t.*T$"', 'bool true'],
  ['s not matches "[0-9]"', 'bool true'],
  ['b"abc" matches "b"', 'bool true'],
  ['mixed[2] matches "x"', 'bool false'],
  ['mixed[2] contains "x"', 'bool false'],
  ['1 + 1 not in list', 'bool false'],
  ['"a" + "b" not matches "ab"', 'bool false'],
  // logic
  ['not no and yes', 'bool true'],
  ['!yes || yes', 'bool true'],
  ['no and mixed[1]', 'bool false'],
  ['yes && mixed[1]', 'string word'],
  ['mixed[1] and false', 'bool false'],
  ['mixed[1] or true', 'bool true'],
  ['mixed[1] and true', 'string word'],
  ['mixed[1] or not true', 'string word'],
  ['mixed[1] or (true && (false || true))', 'bool true'],
  ['mixed[1] and (false == true)', 'bool false'],
  // choice
  ['yes ? 1 : 2', 'int 1'],
  ['yes ? no ? 1 : 2 : 3', 'int 2'],
  ['no ?: "other"', 'string other'],
  ['if i > 5 { "big" } else if i > 3 { "some" } else { "small" }', 'string big'],
  ['if i < 5 { "big" } else if i > 3 { "some" } else { "small" }', 'string some'],
  ['nothing ?? dict.x ?? "default"', 'string default'],
  // members
  ['dict.b.c', 'string deep'],
  ['dict["b"]["c"]', 'string deep'],
  ['dict.missing', '<nil> <nil>'],
  ['dict?.x?.y.z', '<nil> <nil>'],
  ['(dict.x?.y).z', '<nil> <nil>'],
  ['dict.x?.[0].y', '<nil> <nil>'],
  ['dict?.["b"]?.c', 'string deep'],
  ['dict.x?.upper()', '<nil> <nil>'],
  ['{"in": 1, "not": 2}.not', 'int 2'],
  ['list[-1]', 'int 3'],
  ['mixed[1][0]', 'int 119'],
  ['b"abc"[1]', 'int 98'],
  ['list[1:]', '[]interface {} [2 3]'],
  ['list[:-1]', '[]interface {} [1 2]'],
  ['list[-99:99]', '[]interface {} [1 2 3]'],
  ['list[2:1]', '[]interface {} []'],
  ['"häuser"[3:]', 'string user'],
  ['b"abc"[:]', '[]uint8 [97 98 99]'],
  ['$env.i + $env["i"]', 'int 14'],
  ['"i" in $env', 'bool true'],
  ['$env?.unknown', '<nil> <nil>'],
  // sequences, variables, pipes
  ['1; 2; 3', 'int 3'],
  ['1;', 'int 1'],
  ['let x = 2; let y = x * 3; x + y', 'int 8'],
  ['(let x = 2; x) + 1', 'int 3'],
  ['list | filter(# > 1) | map(# * 2)', '[]interface {} [4 6]'],
  ['"b,a" | split(",") | sort() | join("-")', 'string a-b'],
  ['list | first() | string()', 'string 1'],
  ['list | map({let x = #; x + 1})', '[]interface {} [2 3 4]'],
])('%s is %s', (source, expected) => {
  expect(evaluateText(source, data)).toBe(expected)
})

test('without checks mixed literals are left to the evaluation', () => {
  expect(evaluateText('1 == "1"', {}, { checks: 'none' })).toBe('bool false')
  expect(evaluateText('unknownName', {}, { checks: 'none' })).toBe('<nil> <nil>')
  expect(evaluateText('"abc"[1]', {}, { checks: 'none' })).toBe('int 98')
  expect(evaluateText('"hä"[2]', {}, { checks: 'none' })).toBe('int 164')
})
