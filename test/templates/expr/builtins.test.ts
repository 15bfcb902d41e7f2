import { expect, test } from 'vitest'
import { BUILTIN_NAMES, PREDICATE_NAMES } from '../../../src/templates/expr/index.ts'
import { evaluateText } from './evaluate-text.ts'

const data = { list: [3, 1, 2], nested: [1, [2.5, [3]]], dict: { b: 2, a: 1 }, words: ['b', 'a'], mixed: ['x', 1] }

// Results of expr-lang as its documentation and reference tests give them.
const CASES: readonly (readonly [string, string])[] = [
  ['all(list, # > 0)', 'bool true'],
  ['all([], false)', 'bool true'],
  ['none(list, # > 2)', 'bool false'],
  ['any(list, # > 2)', 'bool true'],
  ['one(list, # > 2)', 'bool true'],
  ['filter(list, # > 1)', '[]interface {} [3 2]'],
  ['map(list, #index)', '[]interface {} [0 1 2]'],
  ['map([{v: 1}, {v: 2}], .v)', '[]interface {} [1 2]'],
  ['find(list, # < 3)', 'int 1'],
  ['find(list, # > 9)', '<nil> <nil>'],
  ['findIndex(list, # < 3)', 'int 1'],
  ['findIndex(list, # > 9)', '<nil> <nil>'],
  ['findLast(list, # > 1)', 'int 2'],
  ['findLast(list, # > 9)', '<nil> <nil>'],
  ['findLastIndex(list, # > 1)', 'int 2'],
  ['count(list, # > 1)', 'int 2'],
  ['count([true, false])', 'int 1'],
  ['sum(list)', 'int 6'],
  ['sum(list, # * 0.5)', 'float64 3'],
  ['groupBy(list, # % 2)', 'map[interface {}]interface {} map[0:[2] 1:[3 1]]'],
  ['groupBy(list, date("2020-01-0" + string(# % 2 + 1)))[date("2020-01-02")]', '[]interface {} [3 1]'],
  ['sortBy(list, -#)', '[]interface {} [3 2 1]'],
  ['sortBy([{v: 1}, {v: 2}], .v, "desc")', '[]interface {} [map[v:2] map[v:1]]'],
  ['reduce(list, #acc + #)', 'int 6'],
  ['reduce(list, #acc + #index, 10)', 'int 13'],
  ['map(list, {filter(list, # > 1)[0]})', '[]interface {} [3 3 3]'],
  ['filter(list, # > 1)[-1]', 'int 2'],
  ['any(mixed[0], # == 120)', 'bool true'],
  ['count(b"abc", # > 97)', 'int 2'],
  ['trim(" \u00a0x\\n")', 'string x'],
  ['trim("--x-", "-")', 'string x'],
  ['trimPrefix("abc", "a")', 'string bc'],
  ['trimPrefix(" abc")', 'string abc'],
  ['trimSuffix("abc", "x")', 'string abc'],
  ['trimSuffix("abc ")', 'string abc'],
  // Go maps rune by rune: unicode.ToUpper('ß') is 'ß', unicode.ToLower('Σ') always 'σ', unicode.ToLower('İ') is 'i'.
  ['upper("aßä") + lower("ÄBΣİ")', 'string AßÄäbσi'],
  ['split("a,b,c", ",")', '[]interface {} [a b c]'],
  ['split("a,b,c", ",", 2)', '[]interface {} [a b,c]'],
  ['split("a,b,c", ",", 0)', '[]interface {} []'],
  ['split("h😀", "")', '[]interface {} [h 😀]'],
  ['splitAfter("a,b,c", ",")', '[]interface {} [a, b, c]'],
  ['replace("aaa", "a", "b")', 'string bbb'],
  ['replace("aaa", "a", "b", 2)', 'string bba'],
  ['replace("ab", "", "-")', 'string -a-b-'],
  ['repeat("ab", 3)', 'string ababab'],
  ['join(words)', 'string ba'],
  ['join(words, ", ")', 'string b, a'],
  ['join(split("a b", " "), "+")', 'string a+b'],
  ['indexOf("äab", "a")', 'int 2'],
  ['indexOf("x", "a")', 'int -1'],
  ['lastIndexOf("abab", "ab")', 'int 2'],
  ['hasPrefix("abc", "ab") and hasSuffix("abc", "bc")', 'bool true'],
  ['abs(-3)', 'int 3'],
  ['abs(-2.5)', 'float64 2.5'],
  ['abs(3) + abs(.5)', 'float64 3.5'],
  ['ceil(1.2) + floor(1.8)', 'float64 3'],
  ['[round(2.5), round(-2.5), round(0.49999999999999994), round(3)]', '[]interface {} [3 -3 0 3]'],
  [
    '[int("42"), int(-1.9), int(7), int(duration("1us")), int(date("2020-05-01").Month())]',
    '[]interface {} [42 -1 7 1000 5]',
  ],
  ['[float("1e3"), float(2), float(.5)]', '[]interface {} [1000 2 0.5]'],
  ['max(1, nested, 2)', 'int 3'],
  ['min([2, 0.5], 1)', 'float64 0.5'],
  ['max([])', '<nil> <nil>'],
  ['max(mixed[0])', 'string x'],
  ['mean(nested)', 'float64 2.1666666666666665'],
  ['mean([])', 'float64 0'],
  ['median(list)', 'float64 2'],
  ['median(1, 2, 3, 10)', 'float64 2.5'],
  ['median([])', 'float64 0'],
  ['bitand(6, 3) + bitor(6, 3) + bitxor(6, 3)', 'int 14'],
  ['bitnand(35, 9)', 'int 34'],
  ['bitnot(10)', 'int -11'],
  [
    '[bitshl(1, 4), bitshl(1, 100), bitshr(-8, 1), bitshr(-8, 99), bitushr(-1, 60), bitushr(1, 99)]',
    '[]interface {} [16 0 -4 -1 15 0]',
  ],
  ['[len("héé"), len(list), len(dict), len(b"ab")]', '[]interface {} [3 3 2 2]'],
  ['[first(list), last(list), first([]), last([])]', '[]interface {} [3 2 <nil> <nil>]'],
  [
    '[get(dict, "a"), get(dict, "z"), get(list, -1), get(list, 9), get(dict.x, "a")]',
    '[]interface {} [1 <nil> 2 <nil> <nil>]',
  ],
  ['get($env, "dict")', 'map[string]interface {} map[a:1 b:2]'],
  ['take(list, 2) == [3, 1] and take(list, 9) == list', 'bool true'],
  ['keys(dict)', '[]interface {} [a b]'],
  ['values(dict)', '[]interface {} [1 2]'],
  ['toPairs(dict)', '[]interface {} [[a 1] [b 2]]'],
  ['fromPairs([["a", 1], ["b", 2]])', 'map[string]interface {} map[a:1 b:2]'],
  ['reverse(list)', '[]interface {} [2 1 3]'],
  ['reverse(b"ab")', '[]interface {} [98 97]'],
  ['uniq([1, 1.0, "1", nil, nil, true, [1], [1], 0/0, 0/0])', '[]interface {} [1 1 <nil> true [1] NaN NaN]'],
  ['concat(list, words, b"a")', '[]interface {} [3 1 2 b a 97]'],
  ['flatten([1, [2, [3, []]]])', '[]interface {} [1 2 3]'],
  ['sort(words)', '[]interface {} [a b]'],
  ['sort(1..3, "desc")', '[]interface {} [3 2 1]'],
  [
    'map([nil, true, 1, .5, "s", list, dict, b"", now(), duration("1s"), timezone("UTC"), now().Month(), len], type(#))',
    '[]interface {} [nil bool int float string array map array time.Time time.Duration time.Location time.Month func]',
  ],
  ['string([1, {a: nil}])', 'string [1 map[a:<nil>]]'],
  ['toJSON({b: [1, .5], a: "<"})', 'string {\n  "a": "\\u003c",\n  "b": [\n    1,\n    0.5\n  ]\n}'],
  ['fromJSON("{\\"a\\": [1, true]}").a[0] + 1', 'float64 2'],
  ['toBase64("héllo") + fromBase64("aMOpbGxv")', 'string aMOpbGxvhéllo'],
  ['fromBase64("aGk=\\n")', 'string hi'],
  ['now() - now() <= duration("0s")', 'bool true'],
  ['now(timezone("Asia/Tokyo")).Location().String()', 'string Asia/Tokyo'],
]

test.each(CASES)('%s is %s', (source, expected) => {
  expect(evaluateText(source, data)).toBe(expected)
})

test('every builtin of the language has a case', () => {
  const tested = CASES.map(([source]) => source).join('\n')
  const untested = [...BUILTIN_NAMES, ...PREDICATE_NAMES].filter((name) => !new RegExp(`\\b${name}\\(`).test(tested))
  // The two that read dates have their cases in dates.test.ts as well.
  expect(untested).toEqual([])
})
